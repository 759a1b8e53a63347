import { acquireSettings, aptConfiguration, debianMirror, parseAptSources } from './apt-sources';

const deb822 = `# A comment
Types: deb deb-src
URIs: http://mirror.example/debian
Suites: bookworm
 bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/archive.gpg

types: deb
uris: http://mirror.example/debian-security
suites: bookworm-security
components: main
`;

describe('reading apt sources', () => {
  test('a deb822 file has one source per stanza, with continued lines and names in any case', () => {
    expect(parseAptSources([{ name: 'debian.sources', text: deb822 }])).toEqual([
      {
        types: ['deb', 'deb-src'],
        uris: ['http://mirror.example/debian'],
        suites: ['bookworm', 'bookworm-updates'],
        components: ['main', 'contrib'],
      },
      {
        types: ['deb'],
        uris: ['http://mirror.example/debian-security'],
        suites: ['bookworm-security'],
        components: ['main'],
      },
    ]);
  });

  test('a disabled stanza is ignored', () => {
    const text = `Enabled: no\n${deb822}`;
    const [first] = parseAptSources([{ name: 'debian.sources', text }]);
    expect(first?.suites).toEqual(['bookworm-security']);
  });

  test('one-line sources may have options and comments', () => {
    const text = [
      '# deb http://commented.example/debian trixie main',
      'deb [arch=amd64 signed-by=/usr/share/keyrings/a.gpg] http://mirror.example/debian trixie main # x',
      'deb-src http://mirror.example/debian trixie main',
      '',
    ].join('\n');
    expect(parseAptSources([{ name: '/etc/apt/sources.list', text }])).toEqual([
      {
        types: ['deb'],
        uris: ['http://mirror.example/debian'],
        suites: ['trixie'],
        components: ['main'],
      },
      {
        types: ['deb-src'],
        uris: ['http://mirror.example/debian'],
        suites: ['trixie'],
        components: ['main'],
      },
    ]);
  });

  test('files that apt ignores are ignored', () => {
    expect(parseAptSources([{ name: 'debian.sources.disabled', text: deb822 }])).toEqual([]);
  });
});

describe("finding Debian's mirror", () => {
  const find = (text: string) => debianMirror(parseAptSources([{ name: 'x.list', text }]));

  test('the main archive is chosen, not an archive of security updates, another vendor or sources', () => {
    const text = [
      'deb http://vendor.example/apt stable main',
      'deb http://mirror.example/debian-security bookworm-security main',
      'deb-src http://sources.example/debian bookworm main',
      'deb http://mirror.example/debian bookworm-backports main',
      'deb http://archive.example/debian/ bookworm main',
    ].join('\n');
    expect(find(text)).toBe('http://archive.example/debian/');
  });

  test('a mirror under another path is chosen if there is no better one', () => {
    expect(find('deb http://repository.example/debian-remote/pool trixie main')).toBe(
      'http://repository.example/debian-remote/pool',
    );
  });

  test('a machine of another distribution has no mirror', () => {
    expect(find('deb http://archive.example/ubuntu noble main')).toBeUndefined();
  });
});

describe('the private apt', () => {
  test('the private apt keeps settings for access to the mirror, and no others', () => {
    const dump = [
      'APT::Install-Recommends "true";',
      'Acquire::http::Proxy "http://proxy.example:3128";',
      'Acquire::Check-Valid-Until "false";',
      'Acquire::IndexTargets::deb::DEP-11 "";',
      'Acquire::Languages "en";',
    ].join('\n');
    expect(acquireSettings(dump)).toEqual([
      'Acquire::http::Proxy "http://proxy.example:3128";',
      'Acquire::Check-Valid-Until "false";',
    ]);
  });

  test('the private apt reads and writes only below its own folder', () => {
    const text = aptConfiguration({ folder: '/cache/apt', acquire: [] });
    const paths = [...text.matchAll(/^Dir::\S+ "([^"]+)";$/gm)].map(([, path]) => path);
    expect(paths).toHaveLength(6);
    for (const path of paths) expect(path).toMatch(/^(\/cache\/apt\/|\/dev\/null$)/);
  });
});
