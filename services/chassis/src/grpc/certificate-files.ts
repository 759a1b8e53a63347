import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { experimental } from '@grpc/grpc-js';
import {
  type CertificateFilePaths,
  type TransportSecurity,
  transportSecurityProblems,
} from './transport-security';

type Provider = experimental.CertificateProvider;
type AuthorityListener = experimental.CaCertificateUpdateListener;
type IdentityListener = experimental.IdentityCertificateUpdateListener;
type SecurityFromFiles = TransportSecurity & { readonly files: CertificateFilePaths };

// Servers and channels of a process that use the same files share one reader.
const readers = new Map<string, CertificateFiles>();

/** Provides certificates that are reread from their files. New connections use the latest ones. */
export function certificateFilesOf(security: SecurityFromFiles): Provider {
  const { certificate, key, authority } = security.files;
  const name = JSON.stringify([certificate, key, authority]);
  const reader = readers.get(name) ?? new CertificateFiles(security);
  readers.set(name, reader);
  return reader;
}

class CertificateFiles implements Provider {
  private readonly authorityListeners = new Set<AuthorityListener>();
  private readonly identityListeners = new Set<IdentityListener>();
  private problem: string | undefined;

  constructor(private current: SecurityFromFiles) {
    // The timer does not keep the process alive.
    setInterval(() => {
      void this.reread();
    }, current.files.rereadEveryMs).unref();
  }

  addCaCertificateListener(listener: AuthorityListener): void {
    this.authorityListeners.add(listener);
    process.nextTick(() => {
      this.notifyAuthority(listener);
    });
  }

  removeCaCertificateListener(listener: AuthorityListener): void {
    this.authorityListeners.delete(listener);
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.identityListeners.add(listener);
    process.nextTick(() => {
      this.notifyIdentity(listener);
    });
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.identityListeners.delete(listener);
  }

  /** Half-written or mismatched files are ignored: the old certificate is still valid. */
  private async reread(): Promise<void> {
    try {
      const next = await readFrom(this.current.files);
      const { certificate, key, authority } = this.current;
      if (next.certificate === certificate && next.key === key && next.authority === authority) {
        return;
      }
      refuseProblems(next);
      this.current = { ...this.current, ...next };
      this.problem = undefined;
      for (const listener of this.identityListeners) this.notifyIdentity(listener);
      for (const listener of this.authorityListeners) this.notifyAuthority(listener);
      this.logReplacement();
    } catch (error) {
      this.warnOnce(error as Error);
    }
  }

  private notifyAuthority(listener: AuthorityListener): void {
    listener({ caCertificate: Buffer.from(this.current.authority) });
  }

  private notifyIdentity(listener: IdentityListener): void {
    const { certificate, key } = this.current;
    listener({ certificate: Buffer.from(certificate), privateKey: Buffer.from(key) });
  }

  private logReplacement(): void {
    const { certificate, files } = this.current;
    const { serialNumber, validTo } = new X509Certificate(certificate);
    files.logger?.info({ serialNumber, validTo }, 'certificates replaced');
  }

  private warnOnce(error: Error): void {
    if (error.message === this.problem) return;
    this.problem = error.message;
    this.current.files.logger?.warn({ err: error }, 'new certificates rejected');
  }
}

async function readFrom({ certificate, key, authority }: CertificateFilePaths) {
  const read = async (path: string) => (await readFile(path, 'utf8')).trim();
  return {
    certificate: await read(certificate),
    key: await read(key),
    authority: await read(authority),
  };
}

function refuseProblems({ certificate, key, authority }: Omit<TransportSecurity, 'files'>): void {
  const problems = transportSecurityProblems({
    GRPC_TLS_CERT: certificate,
    GRPC_TLS_KEY: key,
    GRPC_TLS_CA: authority,
  });
  if (problems.length === 0) return;
  throw new Error(problems.map(({ variable, problem }) => `${variable} ${problem}`).join('; '));
}
