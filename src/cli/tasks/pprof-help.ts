/** The help of `oakum pprof`. */
export const PPROF_HELP = `Usage: oakum pprof REPORT [options] [BINARY] SOURCE...

  oakum pprof -top heap.pb.gz
  oakum pprof -top -diff_base before.pb.gz after.pb.gz
  oakum pprof -peek='sync.*Lock' -cum http://localhost:6060/debug/pprof/mutex
  oakum pprof -http=:8080 heap.pb.gz                            flame graph, tables and search in the browser
  oakum pprof -http=: -diff_base before.pb.gz after.pb.gz       the same for what grew

Prints what go tool pprof prints. A SOURCE is a file in any format Oakum reads, - for stdin, or a URL: http, https,
https+insecure, or unix:///path/to.sock/debug/pprof/heap. Several sources are merged.

Reports (one of):
  -top, -text         functions by their own value        -tree          each function with callers and callees
  -peek=REGEXP        the same for matching functions     -traces        every sample with its stack and labels
  -tags               label values and their share        -list=REGEXP   annotated source of matching functions
  -dot                call graph for Graphviz             -callgrind     call graph for KCachegrind
  -raw                the profile field by field          -comments      the profile's comments
  -proto              the profile as pprof protobuf       -topproto      the rows of -top as pprof protobuf

Browser:   -http=[HOST]:[PORT] instead of a report; HOST is localhost and PORT a free one unless given. Prints the
           address and opens no browser; Ctrl-C stops it. If others can reach the address, the link carries a token.
Compare:   -base FILE  -diff_base FILE  -normalize  -drop_negative
Values:    -sample_index=NAME|N  -mean  -divide_by=N  -unit=UNIT  -relative_percentages
           -inuse_space -inuse_objects -alloc_space -alloc_objects -contentions -total_delay -mean_delay
Filter:    -focus -ignore -hide -show -show_from -prune_from =REGEXP   -tagfocus -tagignore =[KEY=]REGEXP|RANGE
           -tagshow -taghide =REGEXP   -tagroot -tagleaf =KEY,KEY   -all_frames
Group by:  -functions -filefunctions -files -lines -addresses  -noinlines -showcolumns -call_tree
Order:     -flat -cum      Trim: -nodecount=N -nodefraction=F -edgefraction=F -trim
Output:    -output=FILE -compact_labels -source_path=DIRS -trim_path=PATHS
Source:    -seconds=N -timeout=N -symbolize=none|text -buildid=ID -add_comment=TEXT -tls_cert -tls_key -tls_ca =FILE
Ignored:   -tools=DIRS -intel_syntax -no_browser, accepted as go tool pprof does      Help: -help

-symbolize=none reads text dumps exactly as go tool pprof does, without their symbols; -symbolize=text keeps the symbols
of heap, mutex and block text too. Goroutine text keeps its symbols and labels by default.
OAKUM_MAX_BYTES caps how much decompressed input is read (1 GiB).
`;
