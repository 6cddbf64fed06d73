"""English rules: a lasting like, dislike, habit or way of working, and a standing instruction for answers."""

from __future__ import annotations

from vaultkeeper.memory.events.lexicon_en import ADVERBS, HABIT_VERB, HABITUAL, IMPERATIVE, LIKING, SUBJECT
from vaultkeeper.memory.events.rules_en import Rules

_REACTION = (
    r"(?:it|this|that|these|those|them|your|you|how|where|what|him|her|(?:the|that|this) (?:idea|way|look|"
    r"sound|second|first|third|new|last|other|latest|current|colou?rs?|tone|draft|version|result|suggestion|"
    r"title|one|ending|rest)|, |!|\.|$|:)(?:\b|(?<=\W)|$)"
)

_APOLOGY = (
    r"to (?:bother|ask|say|break|be|admit|interrupt|nag|complain|do this|disappoint|disagree|repeat|ruin|"
    r"insist|rush|pester|know|see|hear|think|have)\b"
)

_ERRORS = (
    r"(?:get|got|see|saw|have(?! (?:breakfast|lunch|dinner|supper|tea|coffee|a (?:nap|snack|walk|shower|coffee|"
    r"beer)|my)\b)|had|panic|end|ended|forget|forgot|lose|lost|run into|ran into|wonder|wondered|"
    r"thought|"
    r"assumed|knew|know|understood|understand|seem|mess|struggle|confuse|wanted|said|heard|did|was|were|been|"
    r"am|are|meant|agreed|asked|signed|receive|received|happen|fail|failed|crash|hit|fall|feel|felt|need|"
    r"told|"
    r"promised|ordered|mind|will|would|could|should|imagined|dreamed|dreamt|hoped|wished|mix up|find|found|"
    r"seen|heard|been|tried|encountered|met|done|come across|experienced|gotten|worked with|gone|suspected|"
    r"figured|gave|give up|get to|noticed|expected|realised|realized|learned how)\b"
)

_GET_HABIT = r"get (?:up|there|to (?!see|know|the point)|home|out of bed|my|here)\b"

PREFERENCE = Rules(
    after_subject=(
        rf"(?:do |never |have (?:never|always) )?(?:not )?(?!like (?:,|"
        rf"to mention)){LIKING}(?! (?:{_REACTION}|{_APOLOGY}|(?:one|either|any) (?:over|of)\b|[a-z]+ with "
        rf"you\b))(?= )",
        r"(?:do not |never |have never )(?:really |particularly |actually |much |quite |even |also |"
        r"usually |"
        rf"generally |normally |like to )*(?:like|love|enjoy|care (?:for|about|much)|prefer|want any|"
        rf"do (?:well|mornings|small talk|meetings|surprises|social media|phone calls)|trust|believe in|"
        rf"see the appeal|get on with)\b(?! (?:{_REACTION}))",
        r"prefer (?:that )?(?:you|we|people|it if|when)\b",
        r"(?:hate|love|like|dislike|appreciate|enjoy|can not stand|prefer) it (?:when|if|that)\b",
        r"(?:can not|can never|could never|could not) (?:really |ever )?(?:stand|bear|abide|tolerate|stomach|"
        r"do without|live without|work without|work with(?! this)|deal with|get enough of|concentrate|focus|"
        r"resist|care less)\b(?! (?:this|that|it|him|her|the fact))",
        r"(?:can not|could never|could not|can never) (?:really |ever )?(?:draw|sleep|eat|drink|work|live|write|"
        r"read|think|cook|"
        r"train|study|function|relax|start (?:my|the|a) day|dance|drive|travel|wear) (?:with(?! (?:this|that|it|the "
        r"(?:new|current|"
        r"latest))\b)|without|in (?:a|an|the|silence|heat|noise|cities|hotels|wool|crowds)|on (?:a|an|an empty|"
        r"trains|planes|"
        r"sundays)|when |before |after |while |near |around |to music)",
        r"(?:want|like|expect|prefer) (?:\w+ ){0,2}(?:answers|replies|summaries|explanations|responses|messages|"
        r"mails|emails|code|"
        r"comments|feedback|lists|tables) (?:during|when|whenever|always|in (?:general|all|every|any)|without|with|"
        r"that|to be|"
        r"short|brief|first)\b",
        rf"(?:{HABIT_VERB}|speak|eat|sing|learn|relax) (?!(?:this|that|it)\b).{{1,50}}\b(?:on|with|in|to|for|at) "
        rf"(?:everything|"
        r"everyone|everybody)\b",
        rf"(?:{HABIT_VERB}|travel|speak|sing) (?:with|by|on|in|at|from) (?:[\w'-]+ ){{1,3}}only\b",
        r"only (?:ever )?(?:speak|eat|sing|wear|travel|dance|paint|cook)\b(?! (?:this|that|it)\b)",
        r"(?:work|sleep|think|learn|function|feel|write|concentrate|focus|study|perform|run|cook) (?:much |far |way "
        r"|a lot )?(?:best|"
        r"better|worse|worst|faster|slower|quicker|more easily|more slowly)\b(?! (?:than|now|today|already))",
        r"expect (?:\w+ ){1,2}(?:answers|replies|summaries|explanations|responses|messages|mails)\b",
        rf"{HABIT_VERB} (?:all|most) (?:of )?(?:my|our) [\w'-]+",
        r"(?:always )?try to (?:cook|eat|buy|use|walk|live|keep|write|read|sleep|travel|work|shop|drink) (?!(?:this|"
        r"that|it|the|a|an)\b)",
        rf"{HABIT_VERB} (?:every|each) (?!time\b|file\b|test\b|one\b)[\w'-]+",
        rf"{HABIT_VERB} .{{1,40}} first(?: ,)? (?:then|and only then|before)\b",
        r"would (?:much |always |far )?rather(?! not say)(?! (?:have|see|get) (?:it|that|this)\b)",
        r"would (?:always|generally|usually|much|far|in general) prefer",
        rf"(?:(?:always|never|usually|normally|generally|typically|often|rarely|seldom|hardly ever|"
        r"almost never|almost always|nearly always|mostly|mainly|ordinarily|as a rule|by default|"
        r"exclusively|"
        rf"regularly|frequently|hardly|sometimes|routinely|invariably|religiously|only ever|"
        rf"for the most part) ){{1,2}}(?:like to |try to |have to )?(?!{_ERRORS})[^\W\d_]",
        rf"(?:always|usually|normally|generally|typically|often|rarely|mostly) {_GET_HABIT}",
        rf"only (?:ever )?(?!have\b|need\b|want\b|know\b|get\b|see\b|found\b|got\b|had\b|"
        rf"use this once){HABIT_VERB} (?!this\b|that\b|it\b)",
        r"(?:tend (?:to(?! (?:agree|think (?:that|so|it|he|she|this|you|we|they|the)|believe|differ|disagree|"
        r"suspect|doubt)\b)|not to)|refuse to|avoid|try to avoid|try not to|swear by|make (?:it )?a (?:point|"
        r"habit)|insist on|gravitate|steer clear|stay away from|shy away|live by|abstain|(?:work|think|learn|"
        r"function|sleep|focus|write|concentrate|do) (?:my )?best|have a (?:soft spot|weakness|thing|habit|"
        r"rule|strong preference|preference|sweet tooth|strict|routine|policy|aversion|low tolerance|"
        r"strong dislike|love for)|have (?:a )?(?:no|little|zero) (?:patience|tolerance|time|love|"
        r"interest) (?:for|in)|(?:take|drink|like|have|eat|want) my (?:\w+ )?(?:coffee|tea|eggs|steak|toast|"
        r"meetings|mornings|news|notes|code|answers|replies|whisky|pizza|pasta|noodles|rice|water|showers) |"
        r"favou?r\b|lean towards|root for|thrive|can live without|feel most|stick to|default to|"
        r"go out of my way)\b",
        rf"(?:do not |never )(?:ever |really |usually |generally |normally |typically |"
        rf"do )?{HABIT_VERB}(?! (?:this|that|it|how|why|what|the (?:button|option|menu|setting|error|file|"
        rf"problem|point))\b)(?! any\b)(?! (?:to|a clue|time|idea|enough|the)\b)(?= [a-z])",
        rf"{HABIT_VERB} (?!(?:this|that|it|an? error)\b)(?:[\w'-]+ ){{1,4}}, (?:never|not|rarely|seldom|only) [a-z]+",
        rf"{HABIT_VERB} (?!(?:this|that|an? error|these|the same)\b).{{0,80}}\b{HABITUAL}",
        r"(?:want|need|expect|would like|like) (?:you to always|you to never|you always|all (?:my|your|the)|"
        r"your (?:answers|replies|responses)|my (?:answers|replies|summaries|code|notes)|every (?:answer|"
        r"reply))\b",
        r"find (?!it\b|this\b|that\b|the (?:file|page|option|button|setting|error)).{1,60} (?:exhausting|"
        r"boring|annoying|relaxing|tiring|tedious|soothing|calming|distracting|ugly|beautiful|delicious|"
        r"disgusting|unbearable|overrated|stressful|irritating|charming|pretentious|comforting|creepy|cringe|"
        r"childish|patronising|easier to (?:read|follow)|hard to (?:read|follow|stand)|more (?:readable|"
        r"useful|pleasant|natural)|unreadable|too (?:sweet|salty|loud|spicy|noisy|long|busy))\b",
        r"use (?!this\b|that\b|it\b).{1,60}(?:everywhere|for everything|for all (?:my|of)|exclusively|"
        r"as my (?:main|daily|default|only|primary))\b",
        r"(?:sleep|wake up|get up|go to bed|do (?:most|all|much) of my) .{2,60}",
        r"(?:want|like|need) .{0,60}(?:, always|, every time|always$|in general|at all times)",
        r"(?:have )(?:always|never) (?:liked|loved|hated|preferred|enjoyed|disliked|used|trusted|cared|"
        r"been (?:a|an|into|fond|keen|one)|worked|written|eaten|drunk|wanted to)\b",
    ),
    after_am=(
        r"(?:not )?(?:really |that |very |so |too |such |exactly )*(?:a |an |the )?(?:(?:big|huge|great|"
        r"massive|real|total|complete|longtime|lifelong|die-hard|much of a|no|no great|such a|firm|strong|"
        r"true) )*(?:fan|lover|believer|sucker|advocate|friend|devotee|supporter|stickler|connoisseur|"
        r"proponent|enthusiast) (?:of|in|for)\b(?! (?:this|that|it|your|you|what|how|where|who)\b)",
        r"(?:not )?(?:really |that |very |so |too |all that |more )*(?:into|keen on|fond of|partial to|"
        r"crazy about|mad about|obsessed with|used to|accustomed to|addicted to|picky about|averse to|"
        r"particular about|big on|happiest\b|most productive|at my best|wary of|"
        r"allergic to (?:meetings|buzzwords|jargon|emojis|small talk|marketing)|comfortable with|"
        r"enthusiastic about|a huge sucker|passionate about|strict about|religious about|more comfortable|"
        r"sceptical of|skeptical of)\b(?! (?:it|this|that|your|page|chapter|the (?:\d|first|second|third|last)|"
        r"\d)\b)",
        r"(?:not )?(?:much |more |really |such |definitely |totally )*(?:of )?(?:a |"
        r"an )(?:[\w-]+ ){1,3}(?:person|guy|girl|type|people|kind of person)\b",
        r"(?:a night owl|an early bird|an early riser|a creature of habit|a minimalist|a purist|"
        r"a perfectionist)",
    ),
    start=(
        r"(?:.{0,30} )?my (?:(?:absolute|all-time|personal|least|strong|general|usual|default|"
        r"own) ){0,2}(?:favourites?|preferred|go-to|preference|pet peeve|comfort|ideal|guilty pleasure|"
        r"weakness|usual (?:\w+ ){1,2}|default (?:\w+ ){1,2}|routine|rule|habit|style|"
        r"policy)(?: [\w'-]+){0,4}? ?(?:is|are|:|=|remains)\b(?! (?:missing|not|broken|gone|wrong)\b)",
        r"my (?:[\w'-]+ )?(?:\w+ )of choice (?:is|are)\b",
        r"for (?!the\b|this\b|that\b|these\b|my next\b|a\b|an\b|now\b|example\b|instance\b)(?:[\w'-]+ ){1,3}(?:, "
        r")?(?:i|we) (?:always |"
        r"only |usually |generally )*(?:want|like|use|take|prefer|love|favou?r)\b(?! (?:to know|to see|this|that|"
        r"it)\b)",
        r"(?:please )?spare me (?:the|your|all|any)\b.{0,60}",
        r"you (?:can|may|should|do not (?:need|have) to|need not|never need to) (?:always |just |never )*[a-z]+ "
        r".{0,60}(?:with me|"
        r"for me|to me|always|every time|in (?:your|any) \w+)\b",
        r"(?:[\w-]+ ){1,4}please(?: ,)? (?:always|every time|from now on|never)\b",
        rf"(?:please )?(?:do not |only )?(?!leave (?:it|this|that) to){IMPERATIVE}\b.{{0,120}}\b(?:from now on|from "
        rf"here on|going forward|"
        rf"in (?:the )?future|henceforth|by default|always(?= ?[.!]?$)|"
        rf"ever again|at all times(?= ?[.!]?$)|for me in general|in all (?:your|my|of)|in (?:every|"
        r"any) (?:answer|reply|response)|with me|as a rule|when(?:ever)? (?:you (?:answer|reply|write|"
        r"quote|mention|"
        r"code|explain)|answering|replying|writing|talking|i ask)|in your (?:answers|replies|responses)|"
        r"in (?:answers|replies) to me|"
        rf"to me)(?! (?:what|how|why|when|the|about|if)\b)(?:\b|$)",
        r"(?:please )?(?:from now on|from here on|from today|going forward|in (?:the )?future|henceforth|"
        r"as a rule|by default|whenever (?:i|you)|every time (?:i|you)|any time (?:i|you)|each time (?:i|"
        r"you)|"
        r"when (?:you (?:answer|reply|write|code|talk)|answering|replying|writing to me|talking to me|i ask)|"
        r"for (?:all )?(?:my|future|code|any)|in (?:all|every) (?:my|your|future|answers?|"
        r"repl))\b.{0,40}?(?:, |please |always |never |do not |only |i want |i need |i would like |i prefer |"
        r"use |keep |answer |reply |write |give |call |address |speak |no |add |avoid |skip )",
        r"(?:please )?keep (?:your |all |all your |the )?(?:answers|replies|responses|explanations|messages|"
        r"summaries|things)\b.{0,60}",
        r"(?:please )?stop (?:calling|using|adding|giving|writing|putting|starting|ending|apologi[sz]ing|"
        r"sending|summari[sz]ing|explaining|asking|saying|repeating|suggesting)\b",
        r"(?:nothing (?:beats|like|better than|worse than)|there is nothing (?:better|worse|i (?:like|love|"
        r"hate|enjoy)))\b",
        r"(?:[\w-]+ ){1,3}over (?:[\w-]+ ?){1,3}(?:, )?(?:always|any day|every time|any time|for me)\b",
        r"(?:for|to) me (?:, )?[\w'-]+ .{0,30}?(?:always|usually|has to be|must be|never)\b",
        r"no (?:\w+ ){1,3}(?:for me|with me|in (?:answers|replies|your answers|your replies|my \w+)|"
        r"please,? (?:ever|never)|ever)\b",
    ),
    dropped=(
        r"(?:anything|everything) (?:but|except) .{2,40}",
        r"(?:please )?no (?:[\w'-]+ ){1,6}(?:ever|please|thanks|thank you)(?= ?[.!,]|$)",
        r"no (?:[\w'-]+ ){1,3}in (?:anything|everything|my [\w'-]+)(?= ?[.!,]|$)",
        r"nothing (?:with|without|containing|too|that) .{2,40}(?:please|ever|for me)\b",
        r"(?:not )?(?:really |much |exactly |a |an |too |very )*(?:big |huge |great )?(?:fan of|big on|keen on|fond "
        r"of|into|"
        r"partial to|allergic to (?:meetings|buzzwords|jargon))\b(?! (?:it|this|that|these|your|what|how|the)\b)",
        r"(?:do not|never)(?: ever| you ever)? (?:touch|change|edit|modify|rename|merge|push|commit|reformat|"
        r"overwrite|ping|"
        r"interrupt|thank|praise|greet|apologi[sz]e|translate|mention|assume|invent|quote|repeat|sugar-?coat|"
        r"patroni[sz]e)"
        r"\b(?! (?:this|that|it|these|the (?:file|text|first|second|last|line))\b)(?=.{4,})",
        rf"(?:please )?(?:always|never|do not ever|only ever|under no circumstances|"
        rf"by default) {IMPERATIVE}\b(?! mind)",
        r"(?:prefer|love|hate|enjoy|adore|detest|dislike|loathe|can not stand|do not like) (?!(?:is|are|"
        r"was|it|this|"
        r"that|these|those|your|you|to (?:hear|see|bother)|how|the)\b)[a-z]+",
        rf"(?:never|always|usually|mostly|rarely) {HABIT_VERB} (?!(?:this|that|it)\b)[a-z]+",
    ),
    anywhere=(
        r"\b(?:is|are) (?:sacred|holy|important|essential|vital|non-?negotiable|a nightmare|torture|bliss|heaven|"
        r"hell|poison|a "
        r"pain|everything|a joy|pure joy) (?:to|for) me\b",
        r"\bmeans? (?:a lot|the world|everything) to me\b",
        r"\b(?:that|this) is (?:just )?(?:how|the way) (?:i|we) (?:like|want|prefer|take|drink|eat|do|need)\b",
        r"\b(?:the way|how) (?:i|we) (?:like|prefer) (?:it|them|my|our)\b",
        r"\b(?:tastes?|smells?) (?:like|of|too) .{1,30}(?:to|for) me\b",
        r"\bunless (?:i|we) (?:say|ask|tell you|specify|request|state|mention)(?: otherwise| something else| so)?\b",
        r"\b(?:is|are) (?:a|an) (?:absolute |total |complete |real )?(?:must|no-go|deal ?breaker|turn-?off|"
        r"dealbreaker)(?: for "
        r"me| for us)?(?= ?[.!,]|$)",
        rf"{HABITUAL} (?:, )?{SUBJECT} {ADVERBS}(?!(?:get|see|have to|am|was|will|would|need|feel)\b)[a-z]+",
        r"(?:is|are) (?:(?:still|by far|definitely|also|easily|always|simply|just) )*(?:not )?(?:really |"
        r"quite |exactly )*(?:my (?:thing|favourites?|jam|style|cup of tea|preference|go-to|kind of|"
        r"idea of fun|least favourite)|not for me|more my|a must for me|the best for me|a no-go for me|"
        r"a turn-off for me)\b",
        r"\b(?:drives?|makes?) me (?:crazy|nuts|mad|up the wall|sick|cringe|happy every|itch|itchy|sad|nervous|"
        r"anxious|uneasy|sleepy|queasy|"
        r"furious|angry|dizzy|jittery|yawn|gag|shudder|seasick|grumpy|miserable|hungry)\b",
        r"\b(?:gets?|grates?) on my nerves\b",
        r"\bbores? me\b",
        r"\b(?:relax|calm|soothe|tire|drain|exhaust|irritate|energi[sz]e|cheer|amuse|frighten|scare|stress|depress|"
        r"fascinate|"
        r"delight|disgust|repel|bother)(?:e?s)? me\b(?! (?:that|how|up)\b)(?<!not bother me)",
        r"\b(?:does|do) (?:not|nothing) (?:do it )?for me\b",
        r"\bannoys? me\b(?! (?:that|how))",
        r"\bgives? me (?:a headache|the creeps|joy)\b",
        r"\bput me off\b",
        r"\bany day of the week\b",
        r"\bany day over\b",
        r"\bbeats? (?:[\w'-]+ ){1,5}(?:any day|any time|every time|for me|hands down)\b",
        r"\b(?:works?|sits?|agrees?|suits?) (?:best |better |well )?(?:with|for) me\b(?! to\b)(?<!that works for "
        r"me)(?<!it works for "
        r"me)(?<!which works for me)(?= ?[.!,]|$| in | when )",
        r"\bin (?:every|all|any|each)(?: of)?(?: your| future| my)* (?:answers?|replies|reply|responses?|"
        r"messages?|summar(?:y|ies))\b",
        r"(?:is|are) when i (?:work|think|get|am|write|code|feel|focus)\b",
    ),
)
