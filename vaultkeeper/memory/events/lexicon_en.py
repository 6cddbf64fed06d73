"""English word classes that the rules are made of: subjects, adverbs, verbs by meaning, nouns by what they
name.

Owns vocabulary only. Every entry is a piece of a regular expression over the plain form (`normalise`): lower
case, contractions spelt out, one blank between words.
"""

from __future__ import annotations

from vaultkeeper.memory.common_words import word_set


def either(*words: str) -> str:
    """Returns a group that matches any of the blank-separated words; `_` stands for a blank inside an
    entry."""
    return "(?:" + "|".join(word.replace("_", " ") for line in words for word in line.split()) + ")"


ADVERB = either(
    "have just now also all both already finally really definitely actually then therefore firmly jointly "
    "unanimously",
    "officially eventually ultimately in_the_end today yesterday personally simply still even do did truly "
    "absolutely",
    "certainly currently mainly mostly honestly basically quite very so rather particularly especially "
    "generally too_much",
    "deeply totally genuinely sincerely hereby fully formally tentatively as_a_team together collectively "
    "kind_of",
    "sort_of secretly recently long since presently originally obviously clearly probably strongly much "
    "more far",
)
ADVERBS = rf"(?:{ADVERB} ){{0,4}}"
SUBJECT = (
    r"(?:i|we|(?:my \w+|[^\W\d_]+) and (?:i|me)|both of us|all of us|the (?:two|three|four) of us|"
    r"(?:our|my) (?:team|family|household|group|band|club|choir|crew|company|startup|studio))"
)

WEEKDAY = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|"
    r"apr|jun|jul|aug|sept?|oct|nov|dec)"
)
SEASON = either(
    "spring summer autumn fall winter easter christmas xmas new_year midsummer thanksgiving ramadan lent "
    "pentecost",
    "halloween advent diwali hanukkah",
)
CLOCK = (
    r"(?:\d{1,2}(?: ?[:.] ?\d\d)?(?: ?(?:am|pm|a\.m|p\.m|o'clock|h|sharp))?|noon|midnight|lunch(?:time)?|"
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?= ?[.!,;]|$| (?:o'clock|tomorrow|sharp|on|"
    r"tonight|am|pm))|"
    r"dawn|dusk|dinner|breakfast|half past \w+|quarter (?:to|past) \w+)"
)
DATE = (
    r"(?:\d{4}-\d\d(?:-\d\d)?|\d{1,2}[./]\d{1,2}(?:[./]\d{2,4})?|\d{1,2}(?:st|nd|rd|th)?(?: "
    rf"of)? {MONTH}|{MONTH} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?|"
    r"(?:the )?\d{1,2}(?:st|nd|rd|th)\b|the (?:first|second|third|end|start|beginning|middle) of \w+|"
    r"q[1-4]|(?<=in )20\d\d|(?<=by )20\d\d)"
)
DAYTIME = either("morning afternoon evening night")
FUTURE = (
    rf"(?<!since )(?<!last )(?<!from )(?:tomorrow(?: {DAYTIME})?|tonight|today|the day after|later "
    r"(?:today|tonight|this)|"
    rf"(?:this|next|the coming|coming) (?:week(?:end)?|month|year|quarter|term|semester|{SEASON}|{DAYTIME}|"
    rf"{WEEKDAY}|{MONTH}|sprint|season)|"
    r"(?:on|by|until|till|before|from|after|for|starting|as of|no later than|over|during|around|at|in|to|"
    r"is|are|:|by the end of|end of) "
    rf"(?:the )?(?:this |next |coming |early |late |mid |mid-)?(?:{WEEKDAY}(?! ?s\b)|{DATE}|{MONTH}\b|"
    rf"{SEASON}|weekend|tomorrow|tonight|today)|"
    rf"(?:by|before|until|till|at|around|from) (?:about |around )?{CLOCK}\b|"
    r"(?:by|before|until|till|at|towards)(?: the| this| next)? (?:very )?(?:end|start|beginning|close|"
    r"middle) of|"
    r"(?:by|before|until) (?:then|the (?:weekend|holidays|new year|meeting|release|audit|party|exam|trip|"
    r"summer|winter|next)|next|close of|christmas|eod)|"
    r"in (?:\d+|a|one|two|three|four|five|six|ten|a few|a couple of) (?:minutes?|hours?|days?|weeks?|"
    r"months?|years?)|"
    r"within (?:the )?(?:next )?\w+ (?:hours?|days?|weeks?|months?)|end of (?:day|week|month|year|the|"
    rf"{MONTH})|"
    rf"{WEEKDAY}(?: (?:{DAYTIME}|at|night|week))?|{DATE}|first thing|after (?:work|school|lunch|dinner|the "
    r"(?:holidays|exams?|summer))|over the (?:weekend|holidays))"
)
HABITUAL = (
    rf"(?:every (?:single |other )?(?:day|morning|evening|night|week(?:end|day)?|month|year|{WEEKDAY}|"
    rf"{DAYTIME}|spring|summer|autumn|winter|lunch)|"
    rf"each (?:day|morning|evening|night|week|month|{WEEKDAY})|on (?:{WEEKDAY}s|weekends|weekdays)|at "
    r"weekends|in the (?:mornings|evenings)|"
    r"(?:once|twice|three times|\d+ times) (?:a|per) (?:day|week|month|year)|daily|first thing in the "
    r"morning|before bed|after dinner)"
)

IRREGULAR_PAST = word_set(
    "was were had did got went came saw said told knew thought took gave found left felt kept let began "
    "became brought bought built caught chose drank drove ate fell flew forgot froze grew heard held "
    "hid hurt led lent lost made meant met paid ran rode rose sang sat sent shook shot slept spoke "
    "spent stood stole swam taught threw understood woke wore won wrote been seen gone done taken given "
    "known wanted broke sold tried fought"
)
PRESENT_ED = word_set("need feed speed breed seed weed embed proceed succeed exceed heed bleed bed")

LIKING = either(
    "prefer like love hate dislike enjoy adore detest loathe despise favour favor fancy cherish relish "
    "treasure dread",
    "resent abhor mistrust distrust value",
)
HABIT_VERB = (
    r"(?:use|drink|eat|read|watch|take|buy|answer|wear|listen|do|drive|work|write|cook|shop|travel|pay|"
    r"pick|play|sleep|"
    r"sketch|walk|run|swim|train|code|type|commit|talk|call|mix|trust|touch|smoke|fly|go|bike|cycle|carry|"
    r"start|order|"
    r"check|review|test|print|keep|leave|put|sit|stand|share|lend|borrow|bake|brew|gamble|negotiate|attend|"
    r"schedule|"
    r"respond|reply|email|text|tip|tag|name|draft|meditate|study|practise|practice|skip|ask|open|close|"
    r"book|stay|live|meet|"
    r"turn|make|send|spend|wake|sign|save|back|format|learn|accept|click|iron|snack|post|sell|visit)"
)

IMPERATIVE = either(
    "answer reply respond write use give keep call address speak talk show include add avoid put start end "
    "format convert",
    "translate explain assume round sort list cite quote refer treat make send ask tell remind suggest "
    "recommend offer say",
    "let spell mention leave skip stop do be stick explain provide return code name comment number link "
    "prefer check",
    "summarise summarize draft build turn help find rewrite rephrase compare create design plan fix set "
    "schedule propose",
    "describe read look see consider remember forget think act pretend imagine take quiz grill correct "
    "shorten print open",
    "close delete remove move copy save update review pick choose test run walk bring point keep_it wish "
    "outline pack redo",
    "spare touch change edit merge push commit reformat rename generate calculate compute estimate prepare dig go "
    "guess mark please hide archive order",
)

KIN = either(
    "wife husband partner spouse girlfriend boyfriend fiance fiancee fiancé fiancée son sons daughter "
    "daughters kid kids child children",
    "mother father mum mom dad parents brother brothers sister sisters siblings twin twins grandmother "
    "grandfather grandma grandpa",
    "granddaughter grandson aunt uncle niece nephew cousin dog dogs cat cats puppy kitten horse rabbit "
    "rabbits parrot hamster tortoise",
    "roommate flatmate toddler baby stepson stepdaughter mother-in-law father-in-law family pet pets",
)
ATTRIBUTE = either(
    "timezone time_zone job job_title title role position profession occupation employer company team boss "
    "manager address home",
    "hometown home_town city country birthday birth_date date_of_birth age height weight shoe_size size "
    "phone_number number email",
    "e-mail mail pronouns native_language mother_tongue first_language second_language nationality "
    "religion diagnosis",
    "blood_type blood_group allergy laptop computer phone car bike surname last_name first_name "
    "middle_name nickname handle username",
    "degree major background office workplace school university star_sign citizenship passport setup "
    "main_machine machine",
    "work_hours working_hours landlord doctor field specialty speciality department website blog shop "
    "house flat apartment",
    "workshop studio garden garage cellar landline drummer teacher tutor coach therapist dentist accountant lawyer "
    "club "
    "instrument day_job commute notice_period dominant_hand eyesight salary budget operating_system os "
    "keyboard",
)
BELONGING = either(
    "girls boys grandsons granddaughters nieces nephews kid kids child children son sons daughter daughters sister "
    "sisters brother brothers siblings twins "
    "grandchildren grandkids",
    "dog dogs cat cats horse horses rabbit rabbits hamster hens chickens goats sheep bees parrot tortoise "
    "hedgehog fish aquarium puppy",
    "kitten pets pet car cars bike bikes bicycle van motorbike motorcycle boat house flat apartment garden "
    "allotment balcony cabin farm",
    "laptop macbook thinkpad desktop pc mac printer camera piano guitar violin cello telescope nas server "
    "camper caravan e-reader",
    "caravan trailer sailboat kayak tractor kindle iphone android tablet degree phd master's masters bachelor's "
    "doctorate diploma licence license "
    "certificate visa citizenship",
    "allergy allergies asthma diabetes adhd dyslexia epilepsy migraine migraines arthritis eczema insomnia "
    "tinnitus anxiety",
    "depression disability scoliosis astigmatism pacemaker hearing_loss hearing_aid hearing_aids "
    "nut_allergy celiac_disease coeliac_disease",
    "condition intolerance passport permit mortgage wife husband partner girlfriend boyfriend family shop "
    "studio bakery",
    "company workshop blog newsletter podcast business farm vineyard job jobs degrees flatmates roommates "
    "mobility_scooter",
    "bad_knees? bad_back bad_hip bad_shoulder bad_eyes heart_condition high_blood_pressure "
    "low_blood_pressure thyroid ulcer landline",
    "years_of_experience background team mac_mini synthesizer sewing_machine kiln greenhouse blood_type",
)
STATE = either(
    "vegan vegetarian pescatarian married single divorced widowed engaged pregnant retired unemployed "
    "jobless self-employed",
    "self_employed employed freelance freelancing bilingual trilingual deaf blind hard_of_hearing "
    "colou?r-?blind colou?r_blind short-sighted",
    "near-?sighted far-?sighted dyslexic autistic diabetic asthmatic allergic lactose gluten celiac "
    "coeliac epileptic left-handed right-handed",
    "left_handed right_handed ambidextrous gay lesbian bisexual trans non-binary queer jewish muslim "
    "catholic protestant buddhist hindu",
    "atheist christian german french english british scottish irish welsh spanish italian portuguese dutch "
    "belgian danish",
    "swedish norwegian finnish icelandic polish czech hungarian austrian swiss greek turkish russian "
    "ukrainian american canadian",
    "mexican brazilian argentinian chilean peruvian colombian chinese japanese korean vietnamese thai "
    "indian pakistani",
    "indonesian filipino australian egyptian nigerian kenyan moroccan israeli iranian fluent proficient "
    "trained certified licensed",
    "qualified experienced originally_from native in_charge responsible_for in_my_(?:early_|late_|"
    "mid_)?\\w+ties expecting(?!_(?:an?|the|your|it|this|that|more|to|some)\\b) expecting_a_(?:baby|child|girl|boy) "
    "adopted teetotal sober",
    "on_parental_leave on_maternity_leave on_sick_leave on_insulin on_medication on_call between_jobs "
    "out_of_work wheelchair-bound",
    "immunocompromised anemic anaemic hypertensive nearsighted tone-deaf new_to good_at bad_at terrible_at "
    "dairy-free semi-retired",
    "self-taught self_taught claustrophobic near-sighted dyspraxic (?:good|bad|terrible|hopeless|great|rubbish|"
    "awful)_(?:with|at) "
    "in_(?:year|grade|class|form|sixth|high|secondary|primary|middle|grad|graduate|med|law|night)_\\w+ "
    "in_(?:the|my|our)_(?:first|second|third|fourth|last|final|\\d\\w*)_(?:year|semester|grade|term) "
    "on_(?:windows|macos|mac|linux|ubuntu|debian|fedora|arch|nixos|android|ios|mint|chromeos|freebsd|an?_(?:mac|pc|"
    "macbook|chromebook)) "
    "enrolled tenured undiagnosed new_here on_(?:sick|parental|maternity|paternity|study)_leave halal kosher insured",
)
ROLE = either(
    "head lead chair president founder co-founder cofounder ceo cto cfo director owner co-owner captain "
    "secretary treasurer mum mom dad",
    "father mother parent guardian godmother godfather vice deputy chief senior junior staff principal "
    "product project",
)
UPSET = either(
    "missing wrong broken shown spelled spelt misspelled misspelt displayed empty blank slow dead down "
    "crashing failing throwing acting",
    "gone lost asking telling saying angry mad late sick tired coming going being driving always off stuck "
    "frozen overheating full not",
    "killing getting wrongly still too making giving showing cut hurting running supposed about so really "
    "doing",
)
