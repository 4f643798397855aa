"""The words in which questions about cities are asked: statements, topics, and what says nothing of its own."""

from __future__ import annotations

from agentgym.envs.games._asking import words

OPEN = frozenset(
    {"what", "which", "where", "when", "how", "who", "why", "tell", "describe", "name", "list", "whats", "s"}
)
FRAMES = frozenset({"city", "place", "town", "local", "country", "nation", "famous", "lie"})
ASIDE = frozenset(
    words(
        "world whole large widely main primary part predominantly predominant first native second local common close "
        "near home resident citizen inhabitant locals tourist visitor who modern summer winter game side there people "
        "live speak spoken money type form called name nearby running run flow major big through located "
        "once formerly previously originally ever member really situated"
    )
)  # words that may be left over beside a statement
CUES = {
    "food": "food foods dish dishes cuisine meal meals eat eaten specialty specialties drink delicacy delicacies snack",
    "landmarks": "landmark landmarks monument monuments building buildings attraction attractions sight sights "
    "sightseeing visit see museum museums tourist tourists site sites structure",
    "language": "language languages speak spoken tongue",
    "currency": "currency money currencies",
    "sea": "sea ocean seas coast body water",
    "river": "river rivers",
    "population": "population inhabitants residents live populated populous",
    "founded": "founded old built established age founding settled founding",
    "height": "elevation altitude high height",
    "climate": "climate weather temperature",
    "region": "region area part",
    "continent": "continent",
    "script": "alphabet script writing letters characters",
    "government": "government political governed ruled system",
    "side": "drive side driving",
    "olympics": "olympics olympic",
    "hemisphere": "hemisphere hemispheres",
    "known": "known famous special notable unique fame renowned celebrated interesting reputation recognized",
}  # in an open question the first topic of which it holds a word is meant, if it says nothing else
PLAIN_WORDS = frozenset(
    words(
        "most popular typical main local official primary common commonly widely some any other traditional top "
        "best known famous people city place country kind type like there located people nation national citizens "
        "residents locals person region world many much big large size number approximate approximately roughly "
        "exactly about current total use used live lives lie lies speak speaks spoken eat visit go going see try "
        "should would could recommend which what when where who why how name tell describe list give say first "
        "year years time long ago back date century road street cars car traffic near nearest closest close around "
        "by through runs run flows flow next border meters feet sea level above below it its it's is are s do does "
        "did was were the a an of to in on at for with from there's has have had host hosted held holds take took "
        "place games summer winter native find found city's does my me you i we they their them that this must "
        "iconic important well mostly mainly home culture cultural historic historical europe asia africa america "
        "oceania north south east west continent part can will visitor visitors tourists tourist body water drink "
        "or and considered if specialty system works work form written write writing water "
    )
)  # what an open question may say beside a topic
ADJECTIVES = {
    "Africa": ("african",),
    "Asia": ("asian",),
    "Europe": ("european",),
    "North America": ("north american",),
    "South America": ("south american",),
    "Oceania": ("oceanian",),
}
STATEMENTS: dict[str, tuple[str, ...]] = {
    "country": (
        "Is it in {}?",
        "is it located in {}",
        "does it belong to {}",
        "is {} the country",
        "is it a city of {}",
        "is it part of {}",
        "is it from {}",
    ),
    "continent": (
        "Is it in {}?",
        "is it located in {}",
        "is it on the continent {}",
        "is the continent {}",
        "is it on the {} continent",
    ),
    "region": ("Is it in {}?", "is it located in {}", "is it in the region {}", "is the region {}"),
    "language": (
        "Do people speak {} there?",
        "is {} spoken there",
        "is {} the language",
        "do they speak {}",
        "is the main language {}",
        "is {} an official language",
        "is the official language {}",
        "is {} a language there",
        "is it a {} speaking city",
        "is it {} speaking",
        "is it in a {} speaking country",
        "do most people speak {}",
        "do the locals speak {}",
        "is {} the main language",
        "is {} the official language",
        "is {} the primary language",
        "is the language {}",
    ),
    "borders": (
        "Does the country border {}?",
        "does its country share a border with {}",
        "is the country a neighbor of {}",
        "does the country neighbor {}",
        "is {} a neighboring country",
        "is it in a country that borders {}",
        "does the country have a border with {}",
        "does it share a border with {}",
    ),
    "currency": (
        "Do people pay in {}?",
        "is the currency the {}",
        "do they use the {}",
        "is the {} used there",
        "do people pay with the {}",
        "is the money called {}",
        "do they pay in {}",
        "do they pay with {}",
        "is the local currency the {}",
        "is the {} the currency",
        "does the country use the {}",
    ),
    "side": ("Do people drive on the {}?", "do they drive on the {} side", "do cars drive on the {} side of the road"),
    "government": ("Is the country a {}?", "is it in a {}", "does the country have a {}"),
    "script": (
        "Do people write in {} script?",
        "is the {} alphabet used",
        "do they use the {} alphabet",
        "is the {} script used",
        "is it written in {} letters",
        "is the alphabet {}",
        "is the script {}",
    ),
    "sea": (
        "Is it on the {}?",
        "is it near the {}",
        "does it lie on the {}",
        "is it located on the {}",
        "is it by the {}",
        "does it border the {}",
        "is it on the coast of the {}",
        "is it on the {} coast",
        "is it close to the {}",
        "does it face the {}",
        "is it a port on the {}",
    ),
    "river": (
        "Is it on the river {}?",
        "does the {} flow through it",
        "is it on the {}",
        "does the river {} run through it",
        "is the {} river there",
        "does the {} run through it",
        "is the river the {}",
    ),
}
PLAIN: dict[str, tuple[str, ...]] = {
    "capital": (
        "Is it the capital of its country?",
        "is it a capital",
        "is it a capital city",
        "is it the capital",
        "is it the nation's capital",
        "is it a national capital",
        "is it the seat of government",
        "does it serve as capital",
    ),
    "inland": (
        "Is it inland?",
        "is it landlocked",
        "is it away from the sea",
        "is it far from the sea",
        "is it in the interior",
    ),
    "coast": (
        "Is it on the sea?",
        "is it on the coast",
        "is it by the sea",
        "is it coastal",
        "is it a coastal city",
        "does it have a coast",
        "is it near the ocean",
        "does it lie by the ocean",
        "is it on the ocean",
        "does it have beaches on the sea",
        "is it close to the sea",
        "is it a seaside city",
        "does it border the sea",
    ),
    "on a river": (
        "Does a river run through it?",
        "is it on a river",
        "does it have a river",
        "does a river flow through it",
        "is there a river",
        "does a major river flow through it",
        "is it a river city",
        "does it lie on a river",
        "is it beside a river",
    ),
    "olympics": (
        "Has it held the Olympic Games?",
        "has it hosted the olympics",
        "did it host the olympics",
        "were the olympics held there",
        "has it ever hosted the olympic games",
        "did it hold the olympics",
        "has it been an olympic host",
        "is it an olympic city",
        "was it an olympic host",
        "did the olympics take place there",
    ),
    "north": ("Is it in the northern hemisphere?", "is it north of the equator", "does it lie north of the equator"),
    "south": ("Is it in the southern hemisphere?", "is it south of the equator", "does it lie south of the equator"),
    "east": ("Is it in the eastern hemisphere?", "is it east of Greenwich", "is it east of the prime meridian"),
    "west": ("Is it in the western hemisphere?", "is it west of Greenwich", "is it west of the prime meridian"),
    "tropics": (
        "Is it in the tropics?",
        "is it tropical",
        "does it lie in the tropics",
        "does it have a tropical climate",
        "is the climate tropical",
        "is it in the tropical zone",
    ),
}
MEANT: dict[tuple[str, str], tuple[str, ...]] = {
    ("more", "population 10"): ("is it a megacity", "is it a mega city"),
    ("more", "height 1000"): ("is it at a high altitude", "is it at high elevation", "is it high above the sea"),
    ("less", "founded 500"): ("is it an ancient city", "is it a city of antiquity"),
    ("less", "height 50"): ("is it at sea level", "is it low above the sea", "is it low lying"),
    ("government", "monarchy"): (
        "does the country have a king",
        "does the country have a queen",
        "does the country have a monarch",
        "does the country have a royal family",
        "is there a king",
        "is it ruled by a king",
        "is it ruled by a queen",
        "is there a queen",
        "is there a monarch",
    ),
}  # statements asked for in words of their own
NEAREST: dict[str, tuple[str, ...]] = {
    "climate": (
        "is it hot",
        "is it warm",
        "is it hot in summer",
        "is the weather hot",
        "is the weather cold",
        "is the weather warm",
        "is it on the equator",
        "is it near the equator",
    ),
    "food": ("is it known for its food", "is it famous for its cuisine", "is it known for a dish"),
    "landmarks": (
        "is it a tourist destination",
        "is it a popular tourist destination",
        "is it popular with tourists",
        "do many tourists visit it",
    ),
    "founded": (
        "is it an old city",
        "is it a historic city",
        "is it a medieval city",
        "was it founded by the romans",
        "is it a roman city",
    ),
}  # what the table cannot answer with yes or no, and the topic whose answer comes nearest
NO_SEAS = frozenset({"North", "Red", "Black", "Yellow", "Java"})  # short names that mean more than a sea
COUNTED = {
    "half a": "0.5", "a": "1", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6",
    "seven": "7", "eight": "8", "nine": "9", "ten": "10", "fifteen": "15", "twenty": "20",
}  # fmt: skip
UNITS = {
    "million": 1.0,
    "m": 1.0,
    "thousand": 1e-3,
    "people": 1e-6,
    "inhabitants": 1e-6,
    "residents": 1e-6,
    "citizens": 1e-6,
}
FAME = frozenset(
    words("known famous renowned celebrated associated popular birthplace home eat food dish cuisine specialty")
)  # without one of these words, what is asked for must be a landmark: a city may have what it is not known for
NAMING = frozenset(words("eat visit food dish landmark home locate there famou known who contain building nearby"))
VAGUE = frozenset({"big", "old", "new", "large", "small", "white", "red", "modern", "great", "first", "two"})
SCALES = {
    "north": ("more", "latitude"),
    "south": ("less", "latitude"),
    "east": ("more", "longitude"),
    "west": ("less", "longitude"),
    "bigger": ("more", "population"),
    "larger": ("more", "population"),
    "smaller": ("less", "population"),
    "older": ("less", "founded"),
    "newer": ("more", "founded"),
    "younger": ("more", "founded"),
    "higher": ("more", "height"),
    "lower": ("less", "height"),
}
MEASURES = {
    "latitude": "latitude",
    "longitude": "longitude",
    "population": "millions",
    "founded": "founded",
    "height": "height",
}
