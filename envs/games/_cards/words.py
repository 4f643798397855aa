"""Cards of the word and guessing games."""

from agentgym.core.catalog import EnvCard

WORDLE = EnvCard(
    id="AgentGym/Wordle-v0",
    kind="games",
    entry_point="agentgym.envs.games.wordle:WordleEnv",
    description="Find a hidden five-letter word in six guesses, each answered by marks.",
    citation="LMRL-Gym (Abdulhai et al. 2023, arXiv:2311.18232); AgentGym (Xi et al. 2024, arXiv:2406.04151)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=6,
    deterministic=True,
    events={"guess": "the `word` guessed and its `marks`"},
)

HANGMAN = EnvCard(
    id="AgentGym/Hangman-v0",
    kind="games",
    entry_point="agentgym.envs.games.hangman:HangmanEnv",
    description="Guess a hidden word letter by letter before the lives run out.",
    citation="TextArena (Guertler et al. 2025, arXiv:2504.11442)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=30,
    deterministic=True,
    events={"guess": "the letter or word of the `guess`, and how many `hits` it had"},
)

MASTERMIND = EnvCard(
    id="AgentGym/Mastermind-v0",
    kind="games",
    entry_point="agentgym.envs.games.mastermind:MastermindEnv",
    description="Find a hidden row of coloured pegs from how many are right in place and how many elsewhere.",
    citation="Knuth 1977, The computer as Master Mind; TextArena (Guertler et al. 2025, arXiv:2504.11442)",
    splits={"train": None, "val": 100, "test": 100},
    max_turns=10,
    deterministic=True,
    events={"guess": "the `code` guessed, and how many pegs are right in `place` and `elsewhere`"},
)

TWENTY_QUESTIONS = EnvCard(
    id="AgentGym/TwentyQuestions-v0",
    kind="games",
    entry_point="agentgym.envs.games.twenty_questions:TwentyQuestionsEnv",
    description="Find out what everyday thing is meant by asking questions that are answered with yes or no.",
    citation="LMRL-Gym (Abdulhai et al. 2023, arXiv:2311.18232); ArCHer (Zhou et al. 2024, arXiv:2402.19446)",
    splits={"train": 219, "val": 44, "test": 102},
    max_turns=20,
    deterministic=True,
    events={
        "question": "what it is `about` (a fact, several, a comparison, or unknown), its `value`, and the `answer`",
        "guess": "the `thing` named, and whether it was `right`",
    },
)

GUESS_CITY = EnvCard(
    id="AgentGym/GuessCity-v0",
    kind="games",
    entry_point="agentgym.envs.games.guess_city:GuessCityEnv",
    description="Find out what city is meant by asking about its language, landmarks, food, size and the like.",
    citation="LMRL-Gym (Abdulhai et al. 2023, arXiv:2311.18232); ArCHer (Zhou et al. 2024, arXiv:2402.19446)",
    splits={"train": 160, "val": 28, "test": 102},
    max_turns=20,
    deterministic=True,
    events={
        "question": "what it is `about` (a topic or a kind of statement), the `value` stated, and the `answer`",
        "guess": "the city named, as `value`, and the `answer`; `about` is guess",
    },
)

CROSSWORD = EnvCard(
    id="AgentGym/Crossword-v0",
    kind="games",
    entry_point="agentgym.envs.games.crossword:CrosswordEnv",
    description="Fill a diagram of crossing words from their definitions.",
    citation="TextArena (Guertler et al. 2025, arXiv:2504.11442); WordNet (Miller 1995)",
    splits={"train": None, "val": 100, "test": 100},
    max_turns=24,
    deterministic=True,
    events={
        "fill": "the `entry` and the `word` written there",
        "clear": "the `entry` emptied; `word` is as many `_`",
    },
    hidden_progress=True,
)

CARDS = [WORDLE, HANGMAN, MASTERMIND, TWENTY_QUESTIONS, GUESS_CITY, CROSSWORD]
