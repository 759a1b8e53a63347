import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TransportSecurity } from '../grpc/transport-security';

/** A certificate authority for tests, which issues certificates to processes on this machine. */
export interface TestAuthority {
  issue(subjectAltName?: string): TransportSecurity;
}

/** Node can read certificates but not create them, so openssl does. */
export function createTestAuthority(): TestAuthority {
  return inThrowawayFolder((openssl, read) => {
    const root = ['-nodes', '-days', '2', '-subj', '/CN=Test authority', '-keyout', 'ca.key'];
    openssl('req', '-x509', ...newKey, ...root, '-out', 'ca.crt');
    const authority = read('ca.crt');
    const authorityKey = read('ca.key');
    return { issue: (name = 'DNS:localhost') => issue({ authority, authorityKey, name }) };
  });
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];

type Issued = { authority: string; authorityKey: string; name: string };

function issue({ authority, authorityKey, name }: Issued): TransportSecurity {
  return inThrowawayFolder((openssl, read, write) => {
    write('ca.crt', authority);
    write('ca.key', authorityKey);
    write('names', `subjectAltName=${name}\n`);
    const request = ['-nodes', '-subj', '/CN=Test', '-keyout', 'one.key', '-out', 'one.csr'];
    openssl('req', '-new', ...newKey, ...request);
    const signer = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '1'];
    openssl('x509', '-req', '-in', 'one.csr', ...signer, '-extfile', 'names', '-out', 'one.crt');
    return { certificate: read('one.crt'), key: read('one.key'), authority };
  });
}

function inThrowawayFolder<T>(
  make: (
    openssl: (...args: string[]) => void,
    read: (file: string) => string,
    write: (file: string, content: string) => void,
  ) => T,
): T {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  try {
    return make(
      (...args) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' }),
      (file) => readFileSync(join(folder, file), 'utf8'),
      (file, content) => {
        writeFileSync(join(folder, file), content);
      },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
