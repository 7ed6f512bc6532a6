/** Shortens function names for drawings: no package path, namespace or module version. */
const ANONYMOUS = /^\(anonymous namespace\)::/;
const GO_MODULE_VERSION = /^(.*?)\/v(?:[2-9]|[1-9][0-9]+)([./].*)$/;
const GO = /^(?:[\w\-.]+\/)+([^.]+\..+)/;
const JAVA = /^(?:[a-z]\w*\.)*([A-Z][\w$]*\.(?:<init>|[a-z][\w$]*(?:\$\d+)?))(?:(?:\()|$)/;
const CPP = /^(?:[_a-zA-Z]\w*::)+(_*[A-Z]\w*::~?[_a-zA-Z]\w*(?:<.*>)?)/;

export function shortenFunctionName(name: string): string {
  const plain = name.replace(ANONYMOUS, '').replace(GO_MODULE_VERSION, '$1$2');
  for (const pattern of [GO, JAVA, CPP]) {
    const match = pattern.exec(plain);
    if (match !== null) return match[1];
  }
  return plain;
}
