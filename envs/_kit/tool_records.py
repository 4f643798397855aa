"""What tool worlds tell beside their texts, for their cards: events, costs, metrics."""

EVENTS = {"tool_call": "the `tool` called and its `arguments`"}
PROGRAM_EVENTS = {"tool_call": f"{EVENTS['tool_call']}; `failed`, true, where what it ran raised or was stopped"}
COSTS = {"duration": "virtual seconds that the call took"}
METRICS = {  # of worlds with questions from templates, at the end
    "hops": "how many kinds of thing had to be looked up one after the other",
    "gold_calls": "calls of the shortest known way, the final one included",
}
TALK_EVENTS = {**EVENTS, "user_turn": "what the user said, `content`, and whether that was its last word, `over`"}
TALK_COSTS = {
    **COSTS,
    "user_tokens": "tokens read and written by the model that plays the user",
    "user_cost": "US dollars for that model",
}
SEAT_EVENTS = {**EVENTS, "said": "what `player` said to the other, `content`"}
EVERYTHING = {  # shortcuts of worlds with questions
    "everything": "calls what needs at most a name from the question, and answers with all that was shown, or how much",
}
