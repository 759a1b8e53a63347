/** Where this machine's own apt gets its packages from; read from its files, so that no address is written here. */
export interface AptSource {
  types: string[];
  uris: string[];
  suites: string[];
  components: string[];
}

export interface AptSourceFile {
  name: string;
  text: string;
}

/** Both formats that apt reads: one-line `*.list` and deb822 `*.sources`; other names are ignored, as apt does. */
export function parseAptSources(files: readonly AptSourceFile[]): AptSource[] {
  return files.flatMap(({ name, text }) => {
    if (name.endsWith('.sources')) return parseDeb822(text);
    return name.endsWith('.list') ? parseOneLine(text) : [];
  });
}

function parseOneLine(text: string): AptSource[] {
  return text.split('\n').flatMap((line): AptSource[] => {
    const match = /^\s*(deb|deb-src)\s+(?:\[[^\]]*\]\s+)?(\S+)\s+(\S+)([^#]*)/.exec(line);
    const [, type, uri, suite, rest] = match ?? [];
    if (type === undefined || uri === undefined || suite === undefined) return [];
    return [{ types: [type], uris: [uri], suites: [suite], components: words(rest) }];
  });
}

function parseDeb822(text: string): AptSource[] {
  const lines = text.split('\n').filter((line) => !line.startsWith('#'));
  return lines
    .join('\n')
    .split(/\n\s*\n/)
    .map(parseStanza)
    .filter((fields) => !/^(no|false|without|off|disable)$/i.test(fields.get('enabled') ?? 'yes'))
    .filter((fields) => fields.has('uris'))
    .map((fields) => ({
      types: words(fields.get('types')),
      uris: words(fields.get('uris')),
      suites: words(fields.get('suites')),
      components: words(fields.get('components')),
    }));
}

/** Field names in any case; a line that begins with a blank continues the field above it. */
function parseStanza(stanza: string): Map<string, string> {
  const fields = new Map<string, string>();
  let current: string | undefined;
  for (const line of stanza.split('\n')) {
    const [, name, value] = /^([A-Za-z0-9-]+):(.*)$/.exec(line) ?? [];
    if (name !== undefined) {
      current = name.toLowerCase();
      fields.set(current, (value ?? '').trim());
    } else if (current !== undefined && /^\s/.test(line)) {
      fields.set(current, `${fields.get(current) ?? ''} ${line}`);
    }
  }
  return fields;
}

function words(text: string | undefined): string[] {
  return (text ?? '').split(/\s+/).filter((word) => word !== '');
}

/**
 * The mirror of Debian's main archive. Security, updates and backports live under other suites, other vendors' archives
 * under other paths; a path that ends in `debian` is the archive's usual name, wherever it is mirrored.
 */
export function debianMirror(sources: readonly AptSource[]): string | undefined {
  const candidates = sources
    .filter(({ types, components }) => types.includes('deb') && components.includes('main'))
    .filter(({ suites }) => suites.some((suite) => /^[a-z]+$/.test(suite)))
    .flatMap(({ uris }) => uris)
    .filter((uri) => !/security/.test(uri));
  return candidates.find((uri) => /\/debian\/?$/.test(uri)) ?? candidates.find(namesDebian);
}

function namesDebian(uri: string): boolean {
  return /debian/.test(uri);
}

/** Settings of the machine that decide how apt may reach its mirror: proxies, certificates, a mirror that lags behind. */
export function acquireSettings(aptConfigDump: string): string[] {
  return aptConfigDump
    .split('\n')
    .filter((line) => /^Acquire::/.test(line))
    .filter((line) => !/^Acquire::(IndexTargets|Changelogs|cdrom|Languages)\b/.test(line));
}

export interface PrivateApt {
  folder: string;
  acquire: readonly string[];
}

/**
 * An apt that knows nothing of the installed system: with an empty status file every dependency is fetched, down to the
 * C library, and nothing outside its folder is written.
 */
export function aptConfiguration({ folder, acquire }: PrivateApt): string {
  return [
    ...acquire,
    `Dir::Etc::sourcelist "${folder}/sources.list";`,
    'Dir::Etc::sourceparts "/dev/null";',
    'Dir::Etc::parts "/dev/null";',
    `Dir::State::status "${folder}/status";`,
    `Dir::State::lists "${folder}/lists";`,
    `Dir::Cache "${folder}/cache";`,
    'APT::Install-Recommends "false";',
    'APT::Sandbox::User "";',
    'Debug::NoLocking "true";',
    'Acquire::Languages "none";',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";',
    'Acquire::Retries "3";',
    '',
  ].join('\n');
}

export function sourceLine({ keyring, mirror }: { keyring: string; mirror: string }): string {
  return `deb [signed-by=${keyring}] ${mirror} forky main\n`;
}
