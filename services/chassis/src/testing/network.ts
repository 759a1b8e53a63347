import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TransportSecurity } from '../grpc/transport-security';

/** A TCP proxy in front of a server. Tests can cut its connections as a network failure does. */
export interface TestProxy {
  /** URL of the server through the proxy. */
  readonly url: string;
  /** Closes all connections, and new ones immediately. */
  cut(): void;
  /** Accepts connections again. */
  restore(): void;
  close(): Promise<void>;
}

/** `url` may name several servers, separated by commas; the first one is used. */
export async function startTestProxy(url: string): Promise<TestProxy> {
  const target = new URL(url.split(',')[0] ?? url);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((inside) => {
    if (isCut) {
      inside.destroy();
      return;
    }
    const outside = connect(Number(target.port), target.hostname);
    inside.pipe(outside).pipe(inside);
    for (const socket of [inside, outside]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        inside.destroy();
        outside.destroy();
        sockets.delete(socket);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: Object.assign(new URL(target), { host: `127.0.0.1:${String(port)}` }).href,
    cut,
    restore: () => {
      isCut = false;
    },
    close: async () => {
      cut();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}

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
