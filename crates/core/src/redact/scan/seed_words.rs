//! The words of recovery phrases (BIP-39, English): 2,048 words, no two of which begin with the same four
//! letters. Only those letters are stored. People who write a phrase down often do the same.

/// Four letters per word, in order; a word of three letters ends in a dot.
const STEMS: &[u8; 8192] =
    b"abanabilableabouabovabseabsoabstabsuabusacceacciaccoaccuachiacidacouacquacroact.actiactoactractuadap\
    add.addiaddradjuadmiaduladvaadviaeroaffaaffoafraagaiage.agenagreaheaaim.air.airpaislalaralbualcoaler\
    alieall.allealloalmoalonalphalrealsoaltealwaamatamazamonamouamusanalanchanciangeanglangranimanklanno\
    annuanotanswanteantianxiany.aparapolappeapplapprapriarcharctareaarenarguarm.armearmoarmyarouarraarre\
    arriarroart.arteartiartwask.aspeassaasseassiassuasthathlatomattaatteattiattrauctaudiauguauntauthauto\
    autuaveravocavoiawakawarawayawesawfuawkwaxisbabybachbacobadgbag.balabalcballbambbanabannbar.barebarg\
    barrbasebasibaskbattbeacbeanbeaubecabecobeefbefobegibehabehibelibelobeltbencbenebestbetrbettbetwbeyo\
    bicybid.bikebindbiolbirdbirtbittblacbladblamblanblasbleablesblinblooblosbloublueblurblusboarboatbody\
    boilbombbonebonubookboosbordboriborrbossbottbounbox.boy.bracbraibranbrasbravbreabreebricbridbriebrig\
    brinbrisbrocbrokbronbroobrotbrowbrusbubbbuddbudgbuffbuilbulbbulkbullbundbunkburdburgbursbus.busibusy\
    buttbuyebuzzcabbcabicablcactcagecakecallcalmcamecampcan.canacanccandcanncanocanvcanycapacapicaptcar.\
    carbcardcargcarpcarrcartcasecashcasicastcasucat.catacatccatecattcaugcauscautcaveceilcelecemecenscent\
    cerecertchaichalchamchanchaochapcharchaschatcheacheccheechefchercheschicchiechilchimchoichoochrochuc\
    chunchurcigacinncircciticityciviclaiclapclarclawclaycleaclerclevclicclieclifclimclinclipclocclogclos\
    clotclouclowclubclumclusclutcoaccoascococodecoffcoilcoincollcolocolucombcomecomfcomicommcompconccond\
    confcongconnconscontconvcookcoolcoppcopycoracorecorncorrcostcottcouccouncoupcourcouscovecoyocraccrad\
    crafcramcrancrascratcrawcrazcreacredcreecrewcriccrimcriscritcropcroscroucrowcruccruecruicrumcruncrus\
    cry.cryscubecultcup.cupbcuricurrcurtcurvcushcustcutecycldad.damadampdancdangdaridashdaugdawnday.deal\
    debadebrdecadecedecidecldecodecrdeerdefedefidefydegrdeladelidemademidenidentdenydepadepedepodeptdepu\
    deridescdesedesideskdespdestdetadetedevedevidevodiagdialdiamdiardicediesdietdiffdigidigndiledinndino\
    diredirtdisadiscdisedishdismdisodispdistdivedividivodizzdoctdocudog.dolldolpdomadonadonkdonodoordose\
    doubdovedrafdragdramdrasdrawdreadresdrifdrildrindripdrivdropdrumdry.duckdumbduneduridustdutcdutydwar\
    dynaeageeaglearlearnearteasieasteasyechoecoleconedgeediteduceffoegg.eigheithelboeldeelecelegelemelep\
    elevelitelseembaemboembremeremotemplempoemptenabenacend.endlendoenemenerenfoengaengienhaenjoenlienou\
    enrienroensuenteentientrenveepisequaequiera.eraseroderoserroerupescaessaesseestaeterethievidevilevok\
    evolexacexamexceexchexciexclexcuexecexerexhaexhiexilexisexitexotexpaexpeexpiexplexpoexprexteextreye.\
    eyebfabrfacefacufadefainfaitfallfalsfamefamifamofan.fancfantfarmfashfat.fatafathfatifaulfavofeatfebr\
    fedefee.feedfeelfemafencfestfetcfevefew.fibefictfielfigufilefilmfiltfinafindfinefingfinifirefirmfirs\
    fiscfishfit.fitnfix.flagflamflasflatflavfleefligflipfloaflocflooflowfluiflusfly.foamfocufog.foilfold\
    follfoodfootforcforeforgforkfortforuforwfossfostfounfox.fragframfreqfresfriefrinfrogfronfrosfrowfroz\
    fruifuelfun.funnfurnfuryfutugadggaingalagallgamegap.garagarbgardgarlgarmgas.gaspgategathgauggazegene\
    genigenrgentgenugestghosgiangiftgiggginggiragirlgivegladglanglarglasglidglimglobglooglorglovglowglue\
    goatgoddgoldgoodgoosgorigospgossgovegowngrabgracgraigrangrapgrasgravgreagreegridgriegritgrocgrougrow\
    grunguarguesguidguilguitgun.gym.habihairhalfhammhamshandhappharbhardharsharvhat.havehawkhazaheadheal\
    hearheavhedgheighellhelmhelphen.herohiddhighhillhinthip.hirehisthobbhockholdholeholihollhomehonehood\
    hopehornhorrhorshosphosthotehourhovehub.hugehumahumbhumohundhunghunthurdhurrhurthusbhybrice.iconidea\
    idenidleignoill.illeillnimagimitimmeimmuimpaimpoimprimpuinchinclincoincrindeindiindoinduinfainflinfo\
    inhainheinitinjeinjuinmainneinnoinpuinquinsainseinsiinspinstintainteintoinveinviinvoironislaisolissu\
    itemivorjackjagujar.jazzjealjeanjelljewejob.joinjokejourjoy.judgjuicjumpjungjunijunkjustkangkeenkeep\
    ketckey.kickkid.kidnkindkingkisskit.kitckitekittkiwikneeknifknocknowlab.labelaboladdladylakelamplang\
    laptlarglatelatilauglaunlavalaw.lawnlawslayelazyleadleaflearleavlectleftleg.legalegeleislemolendleng\
    lensleoplesslettleveliarlibelibrlicelifeliftlighlikelimblimilinklionliqulistlittlivelizaloadloanlobs\
    localocklogilonelonglooplottloudlounloveloyalucklugglumblunaluncluxulyrimachmad.magimagnmaidmailmain\
    majomakemammman.manamandmangmansmanumaplmarbmarcmargmarimarkmarrmaskmassmastmatcmatemathmatrmattmaxi\
    mazemeadmeanmeasmeatmechmedamedimelomeltmembmemomentmenumercmergmerimerrmeshmessmetamethmiddmidnmilk\
    millmimimindminiminominumiramirrmisemissmistmix.mixemixtmobimodemodimom.momemonimonkmonsmontmoonmora\
    moremornmosqmothmotimotomounmousmovemovimuchmuffmulemultmuscmusemushmusimustmutumysemystmythnaivname\
    napknarrnastnatinatunearneckneedneganeglneitnephnervnestnet.netwneutnevenewsnextnicenighnoblnoisnomi\
    noodnormnortnosenotanotenothnotinovenow.nuclnumbnursnut.oak.obeyobjeobliobscobseobtaobvioccuoceaocto\
    odoroff.offeoffiofteoil.okayold.olivolymomitonceone.onioonlionlyopenoperopinoppooptioranorbiorchorde\
    ordiorgaorieorigorphostrotheoutdouteoutpoutsovalovenoverown.owneoxygoystozonpactpaddpagepairpalapalm\
    pandpanepanipantpapeparapareparkparrpartpasspatcpathpatipatrpattpauspavepaympeacpeanpearpeaspelipen.\
    penapencpeoppeppperfpermperspet.phonphotphraphyspianpicnpictpiecpig.pigepillpilopinkpionpipepistpitc\
    pizzplacplanplasplatplaypleapledplucplugplunpoempoetpoinpolapolepolipondponypoolpopuportposiposspost\
    potapottpovepowdpowepracpraipredprefprepprespretprevpricpridprimprinprioprisprivprizprobprocprodprof\
    progprojpromproopropprosprotprouprovpublpuddpullpulppulspumppuncpupipupppurcpuripurppurspushput.puzz\
    pyraqualquanquarquesquicquitquizquotrabbraccracerackradaradirailrainraisrallramprancrandrangrapirare\
    raterathraveraw.razoreadrealreasrebereburecarecerecirecorecyredureflreforefuregiregrregurejerelarele\
    relirelyremaremeremiremorendrenerentreopreparepereplreporequrescreseresiresorespresuretiretrretureun\
    reverevirewarhytrib.ribbricerichrideridgriflrighrigiringriotrippriskriturivariveroadroasroboroburock\
    romaroofrookroomroserotarougrounroutroyarubbruderug.rulerun.runwrurasad.saddsadnsafesailsalasalmsalo\
    saltsalusamesampsandsatisatosaucsaussavesay.scalscanscarscatscenscheschosciescisscorscouscrascrescri\
    scrusea.searseasseatsecosecrsectsecuseedseeksegmselesellsemisenisenssentseriservsesssettsetuseveshad\
    shafshalsharshedshelshershieshifshinshipshivshocshoeshooshopshorshoushovshrishrushufshy.siblsickside\
    siegsighsignsilesilksillsilvsimisimpsincsingsiresistsitusix.sizeskatsketski.skilskinskirskulslabslam\
    sleeslenslicslidsligslimslogslotslowslussmalsmarsmilsmoksmoosnacsnaksnapsnifsnowsoapsoccsocisocksoda\
    softsolasoldsolisolusolvsomesongsoonsorrsortsoulsounsoupsoursoutspacsparspatspawspeaspecspeespelspen\
    sphespicspidspikspinspirsplispoisponspoosporspotspraspresprispy.squasquesquistabstadstafstagstaistam\
    stanstarstatstaysteasteestemstepstersticstilstinstocstomstonstoostorstovstrastrestristrostrustudstuf\
    stumstylsubjsubmsubwsuccsuchsuddsuffsugasuggsuitsummsun.sunnsunssupesuppsuprsuresurfsurgsurpsurrsurv\
    suspsustswalswamswapswarsweasweeswifswimswinswitsworsymbsympsyrusysttabltacktag.tailtaletalktanktape\
    targtasktasttatttaxiteacteamtellten.tenatenntenttermtesttextthanthatthemthentheothertheythinthisthou\
    threthrithrothumthunticktidetigetilttimbtimetinytip.tiretisstitltoastobatodatoddtoe.togetoiltoketoma\
    tomotonetongtonitooltoottop.topitopptorctorntorttosstotatourtowatowetowntoy.tractradtraftragtraitran\
    traptrastravtraytreatreetrentriatribtrictrigtrimtriptroptroutructruetrultrumtrustruttry.tubetuittumb\
    tunatunnturkturnturttweltwentwictwintwistwo.typetypiuglyumbrunabunawuncluncoundeundounfaunfounhaunif\
    uniqunitunivunknunlountiunusunveupdaupgruphouponuppeupseurbaurgeusaguse.usedusefuselusuautilvacavacu\
    vaguvalivallvalvvan.vanivapovarivastvaulvehivelvvendventvenuverbveriversveryvessveteviabvibrvicivict\
    videviewvillvintviolvirtviruvisavisivisuvitavivivocavoicvoidvolcvoluvotevoyawagewagowaitwalkwallwaln\
    wantwarfwarmwarrwashwaspwastwatewaveway.wealweapwearweasweatweb.weddweekweirwelcwestwet.whalwhatwhea\
    wheewhenwherwhipwhiswidewidtwifewildwillwin.windwinewingwinkwinnwintwirewisdwisewishwitnwolfwomawond\
    woodwoolwordworkworlworrwortwrapwrecwreswriswritwronyardyearyellyou.younyoutzebrzerozonezoo.";

/// A bit for every hash of such four letters. It alone rules out most words of a text.
static STEM_BITS: [u64; 1024] = stem_bits();

const fn stem_bits() -> [u64; 1024] {
    let mut bits = [0; 1024];
    let mut at = 0;
    while at < STEMS.len() {
        let bit = hash([STEMS[at], STEMS[at + 1], STEMS[at + 2], STEMS[at + 3]]);
        bits[bit / 64] |= 1 << (bit % 64);
        at += 4;
    }
    bits
}

const fn hash(stem: [u8; 4]) -> usize {
    (u32::from_le_bytes(stem).wrapping_mul(0x9e37_79b1) >> 16) as usize
}

/// The four letters of a lower-case word.
fn stem(word: &[u8]) -> Option<[u8; 4]> {
    let &[a, b, c, ref rest @ ..] = word else { return None };
    Some([a, b, c, rest.first().copied().unwrap_or(b'.')])
}

/// Whether a word may be in the list; true for one in thirty other words as well.
pub(super) fn may_hold(word: &[u8]) -> bool {
    stem(word).is_some_and(|stem| {
        let bit = hash(stem);
        STEM_BITS[bit / 64] & (1 << (bit % 64)) != 0
    })
}

/// Whether a lower-case word is in the list, whole or cut to its four letters.
pub(super) fn holds(word: &[u8]) -> bool {
    let (stems, _) = STEMS.as_chunks::<4>();
    may_hold(word) && stem(word).is_some_and(|stem| stems.binary_search(&stem).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_whole_and_in_order() {
        let (stems, rest) = STEMS.as_chunks::<4>();
        assert!(rest.is_empty() && stems.len() == 2048 && stems.is_sorted());
        for word in ["abandon", "act", "action", "zoo", "satoshi", "vibrant", "mosquito", "kang"] {
            assert!(holds(word.as_bytes()), "{word}");
        }
        for word in ["the", "of", "hark", "xylophone", "abbot", "zz"] {
            assert!(!holds(word.as_bytes()), "{word}");
        }
    }
}
