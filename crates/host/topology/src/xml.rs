//! hwloc's XML, version 2 (`hwloc2.dtd`); version 1 is read too.

mod read;
mod write;

pub use read::from_xml;
pub use write::to_xml;

/// How a kind of core is written: hwloc's name for the distinguishing property.
const KIND_WORDS: [(&str, &str, &str); 3] = [
    ("LinuxCapacity", "capacity ", ""),
    ("FrequencyBaseMHz", "base ", " MHz"),
    ("FrequencyMaxMHz", "up to ", " MHz"),
];
const CORE_TYPES: [(&str, &str); 2] = [("IntelAtom", "atom"), ("IntelCore", "core")];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TopologyError, testing};
    use model::Topology;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn written_xml_reads_back_equal(topology in testing::topologies()) {
            prop_assert_eq!(from_xml("m.xml", &to_xml(&topology).unwrap()).unwrap(), topology);
        }
    }

    #[test]
    fn a_small_machine_is_written_as_reviewed() {
        let mut topology = from_xml("m.xml", VERSION_1).unwrap();
        topology.core_kinds = vec![
            model::CoreKind { name: "atom".to_owned(), cpus: "0".parse().unwrap() },
            model::CoreKind { name: "up to <&\"9\" MHz".to_owned(), cpus: "1".parse().unwrap() },
        ];
        insta::assert_snapshot!(to_xml(&topology).unwrap(), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE topology SYSTEM "hwloc2.dtd">
        <topology version="2.0">
          <object type="Machine" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000007" allowed_cpuset="0x00000001" nodeset="0x00000001" complete_nodeset="0x00000001" allowed_nodeset="0x00000001" gp_index="1">
            <object type="Package" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="2">
              <object type="NUMANode" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x00000001" complete_nodeset="0x00000001" local_memory="1048576" gp_index="3"/>
              <object type="L3Cache" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x00000001" complete_nodeset="0x00000001" cache_size="4096" depth="3" cache_linesize="0" cache_associativity="0" cache_type="0" gp_index="4">
                <object type="Core" os_index="5" cpuset="0x00000001" complete_cpuset="0x00000001" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="5">
                  <object type="PU" os_index="0" cpuset="0x00000001" complete_cpuset="0x00000001" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="6"/>
                </object>
                <object type="Core" os_index="6" cpuset="0x00000002" complete_cpuset="0x00000002" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="7">
                  <object type="PU" os_index="1" cpuset="0x00000002" complete_cpuset="0x00000002" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="8"/>
                </object>
              </object>
            </object>
          </object>
          <cpukind cpuset="0x00000001" forced_efficiency="0">
            <info name="CoreType" value="IntelAtom"/>
          </cpukind>
          <cpukind cpuset="0x00000002" forced_efficiency="1">
            <info name="FrequencyMaxMHz" value="&lt;&amp;&quot;9&quot;"/>
          </cpukind>
        </topology>
        "#);
    }

    const VERSION_1: &str = r#"<?xml version="1.0"?>
<!DOCTYPE topology SYSTEM "hwloc.dtd">
<topology>
 <object type="Machine" os_level="-1" os_index="0" cpuset="0x3" complete_cpuset="0x7" online_cpuset="0x3"
   allowed_cpuset="0x1" local_memory="1048576">
  <object type="Socket" os_index="4294967295" cpuset="0x3">
   <object type="Cache" cpuset="0x3" cache_size="4096" depth="3" cache_type="0">
    <object type="Cache" cpuset="0x1" cache_size="1024" depth="2" cache_type="0">
     <object type="Core" os_index="5" cpuset="0x1"><object type="PU" os_index="0" cpuset="0x1"/></object>
    </object>
    <object type="Core" os_index="6" cpuset="0x2"><object type="PU" os_index="1" cpuset="0x2"/></object>
   </object>
  </object>
 </object>
</topology>"#;

    #[test]
    fn version_1_is_read() {
        let topology = from_xml("m.xml", VERSION_1).unwrap();
        assert_eq!(topology.packages.len(), 1);
        assert_eq!(topology.packages[0].os_id, None);
        assert_eq!(topology.l3_domains[0].size, Some(model::Bytes(4096)));
        assert_eq!(topology.cores.iter().map(|core| core.os_id).collect::<Vec<_>>(), [Some(5), Some(6)]);
        assert_eq!(topology.offline.to_string(), "2");
        assert_eq!(topology.allowed.to_string(), "0");
        assert_eq!(topology.numa_nodes[0].memory, Some(model::Bytes(1 << 20)));
    }

    fn check(from: &str, to: &str, words: &str) {
        let text = to_xml(&testing::sample()).unwrap();
        assert!(text.contains(from), "{from} in {text}");
        let error = from_xml("m.xml", &text.replacen(from, to, 1)).unwrap_err();
        let text = anyhow_like(&error);
        assert!(text.contains(words), "{text}");
    }

    fn anyhow_like(error: &TopologyError) -> String {
        let source = std::error::Error::source(error).map(|source| format!(": {source}"));
        format!("{error}{}", source.unwrap_or_default())
    }

    #[test]
    fn malformed_xml_is_named_by_line_and_field() {
        check("</topology>", "", "m.xml is not well-formed XML: ");
        let error = from_xml(
            "m.xml",
            "<!-- a -->
<house/>",
        )
        .unwrap_err()
        .to_string();
        assert_eq!(error, "m.xml, line 2: the root element is 'house', expected 'topology' as hwloc writes");
        check(
            "type=\"Package\" os_index=\"0\" cpuset=\"0x",
            "type=\"Package\" os_index=\"0\" cpuset=\"0y",
            "attribute 'cpuset' of Package is '0y",
        );
        check("type=\"PU\" os_index=\"0\"", "type=\"PU\"", "PU has no attribute 'os_index'");
        check(
            "type=\"PU\" os_index=\"0\"",
            "type=\"PU\" os_index=\"65536\"",
            "is '65536', expected a number below 65536",
        );
        check("cache_size=\"", "cache_size=\"-", "attribute 'cache_size' of L3Cache is '-");
        check(
            "type=\"Core\" os_index=\"0\" cpuset=\"0x00000101\"",
            "type=\"Core\" os_index=\"0\" cpuset=\"0x00000103\"",
            "this Core has CPU 1, which an earlier one has",
        );
        check(
            "<indexes length=\"",
            "<indexes length=\"9\">x</indexes><indexes length=\"",
            "'x' in <indexes> is not a number",
        );
    }

    #[test]
    fn machine_without_cpus_is_refused() {
        let error = from_xml("m.xml", "<topology version=\"2.0\"/>").unwrap_err();
        assert!(matches!(error, TopologyError::NoCpus { .. }), "{error}");
    }

    #[test]
    fn masks_have_words_of_eight_digits() {
        assert_eq!(write::mask([0, 1, 2, 3, 32]), "0x00000001,0x0000000f");
        assert_eq!(write::mask([]), "0x00000000");
    }

    #[test]
    fn crossing_domains_cannot_be_written() {
        let mut topology: Topology = testing::sample();
        topology.l3_domains[0].cpus.insert(model::CpuId(7));
        topology.l3_domains.truncate(1);
        assert!(matches!(to_xml(&topology), Err(TopologyError::NotATree { .. })));
    }
}
