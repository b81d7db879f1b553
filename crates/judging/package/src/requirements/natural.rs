//! Codes of natural languages, as names and statements have them.

/// The two-letter codes of ISO 639-1, each with the three-letter codes of ISO 639-2 for the same language.
const CODES: &str = "aa aar,ab abk,ae ave,af afr,ak aka,am amh,an arg,ar ara,as asm,av ava,ay aym,az aze,ba bak,be bel,\
bg bul,bh bih,bi bis,bm bam,bn ben,bo bod tib,br bre,bs bos,ca cat,ce che,ch cha,co cos,cr cre,cs ces cze,cu chu,cv chv,\
cy cym wel,da dan,de deu ger,dv div,dz dzo,ee ewe,el ell gre,en eng,eo epo,es spa,et est,eu eus baq,fa fas per,ff ful,\
fi fin,fj fij,fo fao,fr fra fre,fy fry,ga gle,gd gla,gl glg,gn grn,gu guj,gv glv,ha hau,he heb,hi hin,ho hmo,hr hrv,\
ht hat,hu hun,hy hye arm,hz her,ia ina,id ind,ie ile,ig ibo,ii iii,ik ipk,io ido,is isl ice,it ita,iu iku,ja jpn,jv jav,\
ka kat geo,kg kon,ki kik,kj kua,kk kaz,kl kal,km khm,kn kan,ko kor,kr kau,ks kas,ku kur,kv kom,kw cor,ky kir,la lat,\
lb ltz,lg lug,li lim,ln lin,lo lao,lt lit,lu lub,lv lav,mg mlg,mh mah,mi mri mao,mk mkd mac,ml mal,mn mon,mr mar,\
ms msa may,mt mlt,my mya bur,na nau,nb nob,nd nde,ne nep,ng ndo,nl nld dut,nn nno,no nor,nr nbl,nv nav,ny nya,oc oci,\
oj oji,om orm,or ori,os oss,pa pan,pi pli,pl pol,ps pus,pt por,qu que,rm roh,rn run,ro ron rum,ru rus,rw kin,sa san,\
sc srd,sd snd,se sme,sg sag,sh hbs,si sin,sk slk slo,sl slv,sm smo,sn sna,so som,sq sqi alb,sr srp,ss ssw,st sot,su sun,\
sv swe,sw swa,ta tam,te tel,tg tgk,th tha,ti tir,tk tuk,tl tgl,tn tsn,to ton,tr tur,ts tso,tt tat,tw twi,ty tah,ug uig,\
uk ukr,ur urd,uz uzb,ve ven,vi vie,vo vol,wa wln,wo wol,xh xho,yi yid,yo yor,za zha,zh zho chi,zu zul";

/// Returns what is wrong with a code and how to write it; `None` if nothing is. Of three-letter codes without a
/// two-letter one only the form is checked: there are thousands.
pub(crate) fn wrong(code: &str) -> Option<(String, String)> {
    let (language, region) = match code.split_once('-') {
        Some((language, region)) => (language, Some(region)),
        None => (code, None),
    };
    let lower = language.to_ascii_lowercase();
    let mut known = CODES.split(',').map(|entry| entry.split(' ').collect::<Vec<_>>());
    let two = known.find(|entry| entry.contains(&lower.as_str())).map(|entry| entry[0]);
    let is_three = language.len() == 3 && language.bytes().all(|byte| byte.is_ascii_lowercase());
    let suffix = region.map_or(String::new(), |region| format!("-{region}"));
    match two {
        Some(two) if two != language => {
            return Some((
                format!("has the language code '{code}', expected the two-letter code"),
                format!("write '{two}{suffix}'"),
            ));
        }
        None if !is_three => {
            return Some((
                format!("has the language code '{code}', which ISO 639 does not have"),
                "write a code such as en, pt-BR or fil".to_owned(),
            ));
        }
        _ => {}
    }
    let is_region = |region: &str| region.len() == 2 && region.bytes().all(|byte| byte.is_ascii_uppercase());
    region.filter(|region| !is_region(region)).map(|region| {
        (
            format!("has the language code '{code}', whose region '{region}' is not two capital letters"),
            format!("write {language}-XX with a code of ISO 3166, or {language}"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_letters_are_used_where_there_are_two() {
        for right in ["en", "pt-BR", "fil", "zh", "nb", "haw", "de-AT"] {
            assert_eq!(wrong(right), None, "{right}");
        }
        for (code, remedy) in [
            ("eng", "write 'en'"),
            ("por-BR", "write 'pt-BR'"),
            ("ger", "write 'de'"),
            ("EN", "write 'en'"),
            ("xx", "write a code such as en, pt-BR or fil"),
            ("english", "write a code such as en, pt-BR or fil"),
            ("", "write a code such as en, pt-BR or fil"),
            ("pt-br", "write pt-XX with a code of ISO 3166, or pt"),
            ("en-USA", "write en-XX with a code of ISO 3166, or en"),
        ] {
            assert_eq!(wrong(code).map(|(_, remedy)| remedy).as_deref(), Some(remedy), "{code}");
        }
    }
}
