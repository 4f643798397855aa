"""The demo: three agents in WebShop, then a language model that learns FrozenLake from nothing on two CPU cores.

python -m agentgym.baselines.demo [--out runs/demo] [--seeds 3]
"""
