"""Tables of words: how they are written down, and the English words that are also names.

A name made of these words only is matched with the capitals it is written with: "Will" is a person, "will" is none.
"""

from __future__ import annotations


def word_set(*lines: str) -> frozenset[str]:
    """Returns the blank-separated words of the lines."""
    return frozenset(word for line in lines for word in line.split())


_FUNCTION_WORDS = """
the and for are but not you all any can had her was one our out day get has him his how man new now old see
two way who boy did its let put say she too use that with have this will your from they know want been good
much some time very when come here just like long make many more most only over such take than them well
were what which while whom whose why would could should shall might must may about above across after again
against along also although always among another around because before being below between both cannot does
doing done down during each either else enough even ever every few first further going gone got half hence
however into itself last least less later little look made maybe mine near need never next none nor nothing
often once onto other others ought ours own perhaps quite rather really same second seem several since so
something soon still sure then there these thing things think third those though three through thus till
together toward under until up upon us used using usually via we whatever where whether within without yes
yet yours yourself four five six seven eight nine ten zero left right high low big small great best better
part place point people person team group world life work works year years week weeks month months today
tomorrow yesterday morning evening night hour minute moment date home house flat room street city town
country school office
"""

_NAME_WORDS = """
mark bill rose hope grace faith joy art frank grant jack drew dawn summer autumn winter spring april june
august march january february july september october november december monday tuesday wednesday thursday
friday saturday sunday may sun moon star stone woods wood brook brooks river lake forest field fields hill
hills cliff heath dale glen wells bush rob nick pat sue gene dean miles chase chance don rich pierce penny
ruby pearl jade amber opal crystal coral olive violet basil sage ginger cherry berry harmony sky stormy rain
snow frost cloud dusty sandy misty rusty sunny bliss charity mercy patience prudence constance honor justice
liberty victory pride love angel king queen prince duke earl baron bishop pope abbot knight page squire
marshal major general judge mason carter cooper baker butler cook fisher hunter miller porter potter sawyer
shepherd smith turner tanner walker weaver archer barber bowman brewer carpenter clerk dyer farmer foster
gardener glover hooper mercer plumber sailor steward waters banks bridges brown black white green gray grey
blue red gold silver young old long short strong swift sharp noble wise sweet bright early day winters
rivers parks wall walls gates cross church temple hall lane street house rooms bell ball bond book bow brand
bud buck bull cash case cat chip clay coy cane dash dot ferry finch fox hawk crane crow dove drake swan wolf
bear bird lamb lion tiger nation price prior ransom reason rock rod rush seal sly spike stew stock tag tip
trip van victor vine ward ware warren watt wade west east north south wick will wills win wing hay hop
"""

_PRODUCT_WORDS = """
apple target oracle shell visa gap block square stripe slack notion linear things bear arc craft roam anchor
zoom teams word excel access outlook edge chrome opera brave signal element matrix mail maps music photos
pages numbers notes reminders shortcuts drive docs sheets slides forms keep meet chat sites groups calendar
contacts tasks loop planner project projects delve sway cursor rust go swift ruby scheme dart crystal lean
basic coral spark storm beam hive pig prefect celery react ember backbone express flask spring play phoenix
next gin echo fiber vector weaver quill bolt vault packer puppet chef salt compose swarm snap brew make
ninja yarn node fish nu core source bundle bucket lambda glue comprehend transcribe translate forecast lens
focus flow fit flash dash pulse wave wing stream stack space spaces spot spotlight stage stay step story
studio style sum sync system table tag talk tap thread tiles token tool tools top torch touch tower track
trace trail train travel tree trend trust tube tune twist unity update urban value verse view village vision
voice volt wander watch water web wheel wild window wire wish wonder yard zest zone ask aim air alpha beta
gamma delta omega atlas base bay box bridge bubble buffer canvas capital card cast chain charge check circle
clear click climb close coach code coin color command common compass connect control cover create curve cut
cycle data dawn deal deck deep desk dial diary digest direct dive draft dream drift drop earth ease engine
envoy epic event exact fable fair feed figure file film filter find finder fire fixed flag flare fleet float
floor folder force fork form forge frame free fresh front fuel fund fuse future gather gauge gear gem giant
glass globe glow goal grain grid ground grow guard guide habit hand harbor harvest haven head health heart
hero hook horizon host hub hunt icon idea image impact index insight inspire invest island item joint
journal journey jump key kind kit lab label ladder lamp land large launch lead leaf learn ledger lemon lever
light lime line link list lite live load local lock log logic lotus machine magnet main map marble market
mars mask master match maze memory mercury message meter method mind mine mint mirror mobile model mode
mosaic motion mountain mouse move myth name nest net nexus oak oasis object ocean open optics orange orbit
order origin owl pact paint palm panda panel paper parcel park pass path patron pay peak peer pen pilot pine
pioneer pixel plan planet plant plate platform plum pocket pod polar pool pop port post power press prime
print prism profile proof prospect public pump pure push quest quick quiet radar radio rain raft range rank
rapid raven reach read ready record reef relay render report reset rest review ring rise road rocket roll
root rose round route row run safe sail sample sand scale scene scope scout screen script sea search seat
seed sense server set shade shadow shape share shelf shield shift ship shop shot show side sight sign silk
simple site skill skin sleep slice slide smart smoke social solid sort soul sound speak speed spell spin
spirit splash split sport spread sprint stable
"""

FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Those of them that carry next to no meaning."""

COMMON_WORDS = frozenset((_FUNCTION_WORDS + _NAME_WORDS + _PRODUCT_WORDS).split())
"""Lower-case words; those of one or two letters are treated as common without standing here."""
