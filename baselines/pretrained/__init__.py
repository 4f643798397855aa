"""What a pretrained model learns in five worlds of five families; `python -m agentgym.baselines.pretrained`."""
