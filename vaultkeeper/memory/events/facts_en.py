"""English rules: something about the user that holds now, or has stopped holding."""

from __future__ import annotations

from vaultkeeper.memory.events.lexicon_en import ATTRIBUTE, BELONGING, KIN, MONTH, ROLE, STATE, UPSET
from vaultkeeper.memory.events.rules_en import Rules

_WHO = r"(?:just |now |still |also |both |all |only )*"

_NO_ROLE = (
    r"(?:(?:little|bit|tad|lot|fan|huge|big|great|massive|mess|idiot|fool|few|touch|total|complete|moron|"
    r"wreck|sucker|dummy|noob|genius|failure|night|early|creature|perfectionist|minimalist|purist|\w+ person|"
    r"\w+ believer|believer|hostage|bot|cat today|zombie|ghost|disaster|firm|step|day late|week behind|"
    r"couple|"
    r"while|hair|long way|loss|standstill|crossroads|sec|minute|no show|lost|goner|burden|error|bug|message|"
    r"problem|user\b.{{0,10}}see)\b|[^.]{0,30}\b(?:fan|lover|believer|person|guy|sucker) (?:of|in|for|"
    r"who|at)?|[^.]{0,30}\btype of|(?:last|first|next|same|only) (?:one|person|to)\b|one who (?:[a-z]+ed|broke|did|"
    r"made|got|said|lost|wrote|forgot|left|was)\b)"
)

_MORE_THAN_A_MOMENT = (
    r"(?:(?:years?|months|decades?|weeks)\b|since (?:19|20)\d\d|since (?:childhood|birth|i was|i am|school|"
    r"college|"
    r"university|my|the (?:age|pandemic|nineties|eighties)|"
    rf"{MONTH}|last (?:year|summer|winter|spring|autumn|fall))|all my life|my whole life|for ages now|most "
    r"of my life)"
)

FACT = Rules(
    dropped=(
        rf"(?:currently |still |now |presently )+{STATE}\b",
        r"(?:just |recently )?(?:broke|fractured|sprained|tore|dislocated) my\b",
        r"(?:just )?(?:got|was|been) (?:accepted|admitted|promoted|hired|laid off|engaged|married)\b",
        rf"(?:have )?been (?:an? )?(?:[\w-]+ ){{0,3}}?(?:{STATE}|{ROLE}|[a-z]+(?:er|or|ist|ian|man|woman|ant|"
        rf"ent))\b.{{0,60}}"
        rf"{_MORE_THAN_A_MOMENT}",
        r"(?:have )?been (?:living|working|teaching|studying|playing|running|coaching|learning) .{0,60}(?:since|for "
        r"\w+ (?:years|"
        r"months))\b",
        r"(?:just |recently |newly |finally )+(?:moved (?:to|in|into|from|back)|married|divorced|retired|joined|"
        r"became|adopted|"
        r"started (?:a|my) new job|graduated)\b",
        r"(?:just |recently )?moved (?:to|in with|back to|back in with)\b",
    ),
    after_subject=(
        r"(?:(?:am|are) (?:called|named|known as)|go by|am (?:mr|mrs|ms|dr|professor)\b|answer to)\b",
        r"(?:(?:am|are) )?(?:currently |originally |still |temporarily )*(?:live|living|reside|residing|"
        r"based|"
        r"located|settled|housed|come from|from(?! (?:time|now|the (?:start|beginning))\b)|hail from|grew up|"
        r"was born|were born|was raised|native to|born(?: and raised)?|stationed|domiciled)\b(?! (?:in fear|"
        r"for|with this|off|up to|without|on (?:coffee|pizza))\b)",
        r"(?:have )?(?:just |recently )?(?:moved|relocated|emigrated|immigrated) (?:back |out |over |here |"
        r"away )?(?:to|from|into|in with|here)\b(?! (?:the (?:next|folder|file|trash|bin|other|new (?:folder|"
        r"file))))",
        r"(?:(?:am|are) )?(?:mostly |mainly |also |currently |still |usually )*(?:work|working|employed|"
        r"freelance|freelancing|intern|interning|volunteer|volunteering)(?: (?:part-time|full-time|mostly|"
        r"remotely|mainly|shifts|night shifts|nights|freelance|partly|half-time|\d+ ?%|currently))*(?: (?:at|"
        r"for|in(?! (?:progress|vain))|as|with (?:children|kids|animals|people|refugees|wood|patients)|from|"
        r"by|part|out of|night|shifts|remotely|full-time|part-time|freelance)\b|$)",
        r"(?:(?:am|are) )?(?:also |currently )?(?:study|studying|teach|teaching|lecture|lecturing|major|"
        r"majoring|practise|practice|specialise|specialize|coach|coaching|tutor|lead|leading|head|heading|"
        r"chair|supervise|manage|managing|maintain|co-run|co-own|own|moderate|consult|direct|edit|translate|"
        r"repair|restore|breed|keep|raise|raising|organise|organize)\b(?! (?:this|that|it|to|up|you|off|out|"
        r"track|in mind|getting|seeing|going|the (?:error|file|issue)|on top|calm)\b)(?= [a-z\d])",
        r"(?:(?:am|are) )?(?:run|running) (?:a|an|my|our|the (?:local|family|\w+ (?:club|choir|team|"
        r"department|group|archive|lab|shop|shift|desk|kitchen|bar|clinic|farm|school|office)))\b(?! (?:\w+ "
        r")?(?:script|test|tests|query|command|scan|server|"
        r"marathon|half|race|model|job|container|linter|build|fever|risk))",
        r"do (?:[\w-]+ ){1,3}(?:at|for a living|for work|as a)\b",
        r"(?:earn|make) (?:my|a) living\b",
        r"(?:take|am on|inject|am taking) (?:[\w'-]+ ){1,3}\d[\d.]* ?(?:mg|mcg|ml|units|iu|drops|pills|tablets)\b",
        r"(?:employ|run|own|manage) (?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d+|several|a "
        r"couple of|a dozen) "
        r"[a-z]",
        r"have (?:[\w'-]+ ){0,3}(?:syndrome|disease|disorder|carpal tunnel|sciatica|gout|psoriasis|rosacea|lupus|ms|"
        r"copd|ibs|ocd|"
        r"ptsd|tendinitis|cataracts|glaucoma|a slipped disc|reflux|anaemia|anemia|vertigo|a stutter|a stammer)\b",
        r"(?:have )?(?:just )?(?:got|was|been|were) (?:accepted|admitted|into)\b(?! (?:the (?:habit|trouble)|"
        r"trouble|a fight))",
        r"do not (?:drive|swim|smoke|own a car|have a car|speak (?:any )?[a-z]+)(?= ?[.!,;]|$)",
        r"have (?:the|my|our) (?:kids|children|boys|girls|son|daughter|twins|dog|grandchildren) ",
        r"got (?:the|a|an|my) (?:[\w'-]+ )?(?:job|position|role|place|scholarship|grant|flat|apartment|visa|"
        r"promotion|licence|license|"
        r"degree|diploma|raise|part|residency|citizenship|contract)\b",
        r"(?:stutter|stammer|snore|limp|sleepwalk|lip-?read)\b",
        r"owe (?!(?:you|it|that)\b)(?:[\w'-]+ ){1,3}(?:about |around )?[\d€$£]",
        r"(?:have )?(?:broke|broken|fractured|sprained|torn|tore|dislocated) my\b",
        r"have (?:no|a good|a poor|a bad|a terrible|perfect|little) (?:sense of|memory for|eyesight|hearing|pitch)\b",
        r"can (?:read|write|sign|understand|speak) (?!(?:this|that|it|the|you|your|my|a|an|about|more|only|to|with|"
        r"up)\b)[a-z]+",
        r"(?:serve|am serving) (?:as|in|on)\b",
        r"(?:have )?(?:just )?turned \d\d",
        r"(?:sing|dance|act|row|volunteer|serve|perform|compete|referee) (?:in|with|at|for|on)\b",
        rf"(?:have|have got|own|hold|possess|got|co-own|adopted|have adopted|share)(?: got)? (?:(?:a|an|one|"
        r"two|three|four|five|six|seven|\d+|my|our|my own|our own|some|no|only|several|identical|twin|"
        r"severe|"
        rf"mild|chronic|type) ){{1,3}}(?:(?!question|problem|issue|"
        rf"idea)[\w-]+ ){{0,3}}?{BELONGING}\b(?! (?:problem|issue|question|error|tag|emoji|icon|crash))",
        r"(?:have|have got|got) (?:kids|children|twins|siblings|pets|cats|dogs|asthma|diabetes|adhd|"
        r"dyslexia|epilepsy|"
        r"migraines|arthritis|eczema|insomnia|tinnitus|anxiety|depression|scoliosis|hearing loss|allergies|"
        r"hay fever|"
        r"high blood pressure|celiac disease|coeliac disease|type [12] diabetes|dual citizenship|"
        r"grandchildren)\b",
        r"(?:own|drive|ride|wear|use a (?:wheelchair|cane|walker|hearing aid)|use (?:hearing aids|crutches|"
        r"insulin|screen readers?|a screen reader)|suffer from|live with (?:my|a|two|three|chronic|"
        r"\w+ (?:disease|disorder|pain|flatmates|roommates))|take (?:medication|insulin|antidepressants|"
        r"blood thinners)|was diagnosed with|have been diagnosed with|have trouble (?:hearing|"
        r"seeing))\b(?! (?:this|that|it|me|home|to)\b)",
        r"(?:can (?:also )?)?(?:speak|am fluent in|am conversational in|understand spoken|read and write|"
        r"know (?:some|basic|enough|a (?:bit|little)(?: of)?|how to (?:code|weld|sew|knit|swim|sail|program|"
        r"solder|drive)))\b(?! (?:to|with|about|up|for|at)\b)",
        r"(?:can )?play (?:the |in an? |first |second |lead |bass |drums|chess|football|guitar|piano|violin|"
        r"cello|goalkeeper|on a )",
        rf"(?:have )(?:been|worked|lived|studied|taught|played|used|had|owned|known|run|served|coached|"
        rf"managed|done|sung|programmed|coded|practised|kept|led|written|rented|driven|spoken|"
        rf"volunteered)\b(?! (?:trying|struggling|looking for|fighting|staring|wrestling|stuck|debugging|"
        r"waiting|asking|meaning|wanting|told|getting|thinking|hoping|banging|wondering|searching|"
        r"scratching|"
        rf"seeing this|having (?:trouble|issues|problems|this))\b).{{0,80}}\b{_MORE_THAN_A_MOMENT}",
        r"have (?:over |about |almost |more than |nearly )?(?:\d+|two|three|four|five|six|seven|eight|ten|"
        r"twelve|fifteen|twenty|many|several) (?:years|months) (?:of )?(?:experience|behind|in|under|left|as|"
        r"with)",
        r"(?:have )?(?:(?:just|recently|finally|also) )*(?:joined|became|become|got (?:married|divorced|"
        r"promoted|engaged|hired|laid off|a (?:new )?(?:job|dog|cat|puppy|promotion))|started (?:(?:a|"
        r"my) new job|working|at|as)|(?:was|been) (?:promoted|diagnosed|hired|elected|appointed|laid off|"
        r"fired)|graduated|inherited|had a baby|retired|bought (?:a|an|our|my) (?:house|flat|car|apartment|"
        r"boat|farm|piano|van)|been with)\b",
    ),
    after_am=(
        r"[^\W\d_]+ (?:from|at|of|with) (?:the )?(?:[\w'&-]+ ){0,3}(?:team|department|office|company|crew|desk|lab|"
        r"group|club|choir|"
        r"band|school|university|support|sales|billing|accounting|hr|marketing|finance|logistics)\b",
        r"(?:in|on) (?:utc|gmt|cet|est|pst|cest|edt|pdt|ist|jst|the (?:utc|gmt|cet|eastern|pacific|"
        r"central) ?(?:zone|timezone|time)?)\b",
        r"(?:in charge of|responsible for|employed|self-employed|the only|head of|one of (?:the|two|three|"
        r"four|five)|part of(?! the problem)|on the (?:board|committee|council|team)|(?:co-?)?founder|"
        r"an? member)\b(?! one (?:who|with|seeing))",
        rf"{_WHO}(?:not )?(?:an? |the |our |their )(?!{_NO_ROLE})[a-z]",
        rf"{ROLE}\b",
        rf"an? (?:[\w-]+ ){{0,3}}{STATE}\b",
        r"(?:vegetarians|vegans|teachers|nurses|farmers|musicians|twins|sisters|brothers|neighbou?rs|parents|"
        r"pensioners|students|"
        r"diabetics|christians|muslims|jews|buddhists|catholics|atheists|immigrants|refugees|expats)\b",
        rf"(?:(?:completely|partially|partly|severely|slightly|(?:\w+|\d+) (?:weeks|months|years)|happily|"
        rf"newly|recently|half|red-green|red|very|mildly|legally|strictly) )*{STATE}\b",
        r"\d{1,3}(?: (?:years?|yrs?|yo|y/o|and|now|next|,|\.|!)|$)(?! ?%)",
        r"(?:in my|almost|nearly|about to turn|over|under) (?:early |late |mid )?(?:\d\d|twent|thirt|fort|"
        r"fift|sixt|sevent)\w*\b(?! (?:%|minutes|pages|percent))",
        r"\d(?:\.|,)?\d* ?(?:m|cm|kg|feet|ft) ",
        r"\d{2,3} ?(?:cm|kg)\b",
        r"(?:learning|studying|training (?:to|for|as)|raising|doing (?:my|a|an) (?:phd|master|master's|"
        r"bachelor|apprenticeship|degree|internship|residency|doctorate)|writing (?:my|a) (?:thesis|phd|"
        r"dissertation|novel)|a? ?mother of|recovering from|going through (?:a divorce|chemo|menopause)|"
        r"undergoing)\b(?! (?:a lot|that|this|how much)\b)",
        r"(?:about |around )?\d[\d.,]* ?(?:m|cm|kg|feet|foot|ft|pounds)\b",
    ),
    start=(
        r"(?:please )?(?:just )?(?:you can |you may |feel free to )?call me (?!back\b|later\b|when\b|on\b|"
        r"at\b|if\b|a\b|an\b|old|crazy|after|before|tomorrow|paranoid|by\b|names|lazy)[^\W\d_]+",
        r"(?:everyone|everybody|people|friends|they|most people|my \w+|all) calls? me\b(?! (?:back|later|when|on|at|"
        r"if|crazy|names)\b)",
        r"(?:my|our) (?:new |main )?(?:office|company|shop|studio|workshop|parents|family|team|department|mother|"
        r"father|sister|"
        r"brother|son|daughter|landlord) (?:has |have )?(?:just |recently )?(?:moved|relocated) (?:back )?(?:to|"
        r"into|from)\b",
        rf"(?:.{{0,30}}[ ,])?(?:my|our) (?:(?:current|new|home|main|work|daily|official|local|private|other|"
        rf"old|only) )*{ATTRIBUTE}(?: (?:at work|at home|here|there|right now))? (?:is|are|:|=|has(?! "
        r"\w+ed| been| seen| done| to)|"
        rf"runs)(?! (?:{UPSET}|like|good|great|awesome|amazing|nice|fine|happy|excited|the (?:problem|"
        r"issue|question)|what|why|how|where|in (?:the|there))\b)",
        r"as an? (?!result|rule|consequence|kid|child|student|matter|side|first|last|next|test|workaround|"
        r"reminder|joke|whole|user|quick|follow|bonus|teen|boy|girl|baby|team|general|default|backup|start|"
        r"fan|favour|fallback|gift|treat)(?:[\w'-]+ ){1,4}(?:, )?(?:i|we) (?!was|were|had|did|used|would|"
        r"wish|"
        r"want|think)[a-z]",
        r"(?:it is|it has been) (?:\w+ ){1,4}years since i\b",
        r"(?:i|we) (?:wear|weigh|stand) .{0,20}(?:\d|glasses|contacts|hearing|size)",
        r"(?:[\w'-]+ ){0,4}(?:[a-z]{3,}(?:er|or|ist|ian|man|woman|ant)|nurse|student|parent|mum|mom|dad|vegan|"
        r"vegetarian|teacher|"
        r"pensioner|nerd|grad|expat|beginner|newbie) here(?= ?[.,!]|$)",
        r"(?:new |current |my |our )?(?:studio|office|address|home|shop|number|phone|mobile|email|mail|allerg(?:y|"
        r"ies)|diet|medication|"
        r"meds|conditions?|languages?|height|weight|shoe size|blood type|birthplace|employer|company|title|"
        r"education|diagnosis) ?: "
        r"?.{2,80}$",
        r"(?:name|role|job|location|timezone|time zone|age|birthday|pronouns|based in) ?: ?.{2,60}$",
    ),
    anywhere=(
        r"\b(?:my|our) (?:house|flat|apartment|building|farm|school|church|car|bike|boat|village|office) (?:was "
        r"(?:built|made|"
        r"founded)|dates (?:from|back)|is from|stands in|stands on)\b",
        r"\b(?:my|our) [\w'-]+'s (?:first |last |full )?name is (?!(?:missing|wrong|not|too|spelled|misspelled)\b)",
        r"\b(?:my|our) [\w'-]+ (?:is|are) (?:called|named)\b",
        rf"\bis (?:my|our) (?:[\w'-]+ )?(?:{KIN}|(?!answer|number|order|folder|server|printer|computer|paper|letter|"
        rf"error|matter|offer|"
        r"cover|power|color|floor|preferer|winner|banner|user|buffer|filter|header|timer)[a-z]{4,}(?:er|or|ist|ian)|"
        r"doctor|boss|coach|"
        r"nurse|tutor|landlady|flatmate|roommate|colleague|godchild)(?= ?[.!,;]|$| and\b)",
        rf"\b(?:my|our) [\w'-]+ (?:is|are) (?:(?:both|all|also|now) )*{STATE}(?= ?[.!,;]|$| and\b| since\b| to\b)",
        r"\b(?:my|our) (?:new |old |little )?(?:workshop|studio|office|garden|shop|flat|apartment|house|room|desk|"
        r"garage|cabin|stall) "
        r"(?:is|lies|sits) (?:in|on|above|below|behind|next to|near|opposite|at|under|over) (?!fire|a mess|the way|"
        r"progress)",
        rf"\b(?:my|our) (?:[\w'-]+ )?{ATTRIBUTE}(?: [\w'-]+)? (?:has |have )?(?:just |recently )?changed to\b",
        rf"\b(?:he|she|they|it|that|this) (?:is|are) (?:my|our) (?:only |eldest |oldest |youngest |first |second |"
        rf"late |older |"
        rf"younger |little |big )?{KIN}\b(?! (?:idea|problem))",
        r"\b(?:my|our) (?:band|team|choir|club|company|class|school|group|department|family|village|town|firm|"
        r"studio|crew|household|"
        r"course|practice) (?:has|have|employs|counts|consists of|numbers|is|are) (?:about |around |only |over |"
        r"nearly )?(?:\d+|two|"
        r"three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty)\b(?! (?:minutes|hours|days|weeks|"
        r"years) )",
        rf"\b(?:my|our) (?:\w+ )?{KIN}'s (?:an? |the |\d|called|named|from|{STATE}|in (?:first|second|third|fourth|"
        rf"\w+ grade)|studying|"
        r"working|living|expecting)",
        rf"\b(?:my|our) (?:(?:full|first|last|real|legal|given|family|middle|pen|stage|maiden|user|chinese|"
        r"english|wife's|husband's|partner's|son's|daughter's|dog's|cat's|mother's|father's|boss's|"
        r"manager's|"
        rf"company's|team's|boat's|brother's|sister's|baby's|kid's) )*(?:sur|nick|user)?name (?:is|"
        rf":)(?! (?:{UPSET}|apparently|always|often|never|spelled|a |an |in )\b)",
        rf"\b(?:my|our) (?:\w+ )?{KIN}(?: [\w-]+)? (?:is|are) (?!{UPSET}\b)(?:(?:also|now|just|only|already|both|all|"
        rf"severely) )*(?:an? |the |\d|one\b|two\b|three\b|four\b|five\b|six\b|seven\b|eight\b|nine\b|ten\b|"
        rf"eleven\b|twelve\b|thirteen\b|fourteen\b|fifteen\b|sixteen\b|called|named|from|{STATE}|in (?:first|"
        rf"second|third|fourth|\w+ grade)|studying|at (?:school|university|college)|working|living|"
        rf"expecting)",
        rf"\b(?:my|our) (?:\w+ )?{KIN}(?: [\w-]+)? (?:(?:has|have) (?:an?|one|two|three|no|severe|mild|"
        r"type|her own|his own|asthma|adhd|autism|diabetes|allergies|\d)|lives?|works?|speaks?|studies|"
        r"teaches|plays|"
        rf"turned|goes to|go to|runs|owns|uses|wears|drives|attends|suffers from|sleeps in|sings|coaches|and i "
        rf"(?:live|have|are|am|work|run|own|met|moved))\b(?! (?:to\b|"
        rf"no idea|been asking|asked|told))",
    ),
)

GONE = Rules(
    dropped=(
        r"(?:not|no longer) (?:living|working|employed|married|enrolled|vegan|vegetarian|playing|teaching|at|with|"
        r"in)\b.{0,60}\b(?:any "
        r"more|anymore|any longer)\b",
        r"no longer (?:living|working|employed|married|enrolled|vegan|vegetarian|playing|teaching|with|at|a "
        r"member)\b",
    ),
    after_subject=(
        r"(?:am |are |do |does |can |have )?(?:no longer|not .{0,60}?\b(?:any more|any longer)|"
        r"never .{0,40}any more)\b",
        r"(?:have )?(?:(?:just|recently|finally) )*(?:quit (?:my|the|our|smoking|drinking)|left (?:my "
        r"(?:job|"
        rf"post|position|husband|wife)|the (?:company|firm|team|band|church|party|board|city|country|choir|"
        rf"job)|(?:[\w'-]+ ){{1,3}}(?:last (?:year|month|week|spring|summer|autumn|winter)|in (?:{MONTH}|"
        r"20\d\d|spring|summer|autumn|winter)|after \w+ years|for good))|(?:stopped|quit|given up|gave up) "
        r"[a-z]+ing (?!this|"
        r"that|the (?:error|script|file|service|timer|bug))|"
        rf"gave up (?:smoking|drinking|meat|my|alcohol|sugar|the)|given up (?:smoking|drinking|meat|my|the|our|"
        rf"alcohol)|moved (?:out of|away from)|let go of my|gave away (?:my|our)|am done with my|broke up|broken up|"
        rf"split up|separated|sold (?:my|our|"
        rf"the) (?:old |second |little )?{BELONGING}|(?:deleted|deactivated|closed|cancell?ed) (?:my|our) "
        rf"(?:[\w'-]+ )?(?:account|"
        r"profile|membership|subscription|twitter|facebook|instagram|linkedin|contract|plan|blog|channel)|"
        rf"closed (?:my|our|the) (?:shop|company|business|studio|bakery|practice)|resigned(?: from)?|"
        rf"stepped down|cancelled my membership|dropped out)\b",
    ),
    after_am=(r"(?:done|finished) (?:working|teaching|with (?:my job|school|university|the company))\b",),
    anywhere=(
        r"\b(?:my|our) .{0,40}\b(?:no longer|not .{0,40}\bany (?:more|longer))\b",
        r"\b(?:my|our) (?:[\w'-]+ ){1,6}(?:has |have |is |was |are )?(?:just )?(?:ended|expired|lapsed|run out|been "
        r"(?:cancelled|"
        r"terminated|sold)|is over|closed down|shut down|folded|died|passed away)\b(?! (?:at|in) \d)",
        r"\b(?:is|are) (?:no longer|not) (?:my|our) .{0,30}(?:any more|any longer)?(?<=more)\b",
        r"\bis no longer (?:my|our)\b",
    ),
)
