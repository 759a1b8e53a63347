/**
 * Package sources of this machine's own apt, read from its files, so that the code contains no
 * address.
 */
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

/**
 * Parses both formats of apt: one-line `*.list` and deb822 `*.sources`. Ignores other names, as apt
 * does.
 */
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

/**
 * Parses the fields of a stanza. Names are case-insensitive; a line that begins with a blank
 * continues the previous field.
 */
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
 * Finds the mirror of Debian's main archive. Security, updates and backports have other suites,
 * archives of other vendors other paths. Mirrors usually serve the archive under a path that ends
 * in `debian`.
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

/** Settings of the machine for access to its mirror: proxies, certificates, validity checks. */
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
 * Configuration of an apt that is independent of the installed system. With an empty status file it
 * fetches every dependency, down to the C library. It writes only below its folder.
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
