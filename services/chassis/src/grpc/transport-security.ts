import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Logger } from '../telemetry/logging';

/** A process's own certificate and the authority that it trusts; all in PEM. */
export interface TransportSecurity {
  /** The process's own certificate, followed by any intermediate ones. */
  readonly certificate: string;
  readonly key: string;
  /** Authority of all processes: every holder of one of its certificates is a peer. */
  readonly authority: string;
  /** Files of all three, which are reread; absent: they never change. */
  readonly files?: CertificateFilePaths | undefined;
}

/** Files whose contents are replaced when certificates are renewed. */
export interface CertificateFilePaths {
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
  readonly rereadEveryMs: number;
  /** Logs new certificates, and files that cannot be used. */
  readonly logger?: Logger | undefined;
}

/** Variables that configure the security of calls. */
export interface TransportSecurityVariables {
  readonly GRPC_TLS_CERT?: string | undefined;
  readonly GRPC_TLS_KEY?: string | undefined;
  readonly GRPC_TLS_CA?: string | undefined;
  readonly GRPC_TLS_CERT_FILE?: string | undefined;
  readonly GRPC_TLS_KEY_FILE?: string | undefined;
  readonly GRPC_TLS_CA_FILE?: string | undefined;
  readonly GRPC_TLS_REREAD_MS?: number | undefined;
}

// Certificates are renewed long before they expire; reading the files is cheap.
export const rereadEveryMsDefault = 10_000;

const variables = ['GRPC_TLS_CERT', 'GRPC_TLS_KEY', 'GRPC_TLS_CA'] as const;

/**
 * Undefined if calls are plaintext: on one machine's sockets, or if something outside the process
 * secures them.
 */
export function transportSecurityOf(
  configuration: TransportSecurityVariables,
  logger?: Logger,
): TransportSecurity | undefined {
  const { GRPC_TLS_CERT: certificate, GRPC_TLS_KEY: key, GRPC_TLS_CA: authority } = configuration;
  if (certificate === undefined || key === undefined || authority === undefined) return undefined;
  return { certificate, key, authority, files: filesOf(configuration, logger) };
}

function filesOf(
  {
    GRPC_TLS_CERT_FILE: certificate,
    GRPC_TLS_KEY_FILE: key,
    GRPC_TLS_CA_FILE: authority,
    GRPC_TLS_REREAD_MS: rereadEveryMs = rereadEveryMsDefault,
  }: TransportSecurityVariables,
  logger: Logger | undefined,
): CertificateFilePaths | undefined {
  if (certificate === undefined || key === undefined || authority === undefined) return undefined;
  return { certificate, key, authority, rereadEveryMs, logger };
}

/**
 * Returns problems of the three together, by variable: one alone would leave calls open although
 * security was intended.
 */
export function transportSecurityProblems(
  values: Pick<TransportSecurityVariables, (typeof variables)[number]>,
): { variable: string; problem: string }[] {
  const missing = variables.filter((variable) => values[variable] === undefined);
  if (missing.length === variables.length) return [];
  const given = variables.filter((variable) => values[variable] !== undefined).join(' and ');
  const problems = missing.map((variable) => ({
    variable,
    problem: `is required together with ${given}`,
  }));

  const certificate = parsed(values.GRPC_TLS_CERT, (pem) => new X509Certificate(pem));
  const key = parsed(values.GRPC_TLS_KEY, createPrivateKey);
  const authority = parsed(values.GRPC_TLS_CA, (pem) => new X509Certificate(pem));
  if (certificate === 'malformed') {
    problems.push({ variable: 'GRPC_TLS_CERT', problem: 'must be a certificate in PEM' });
  }
  if (key === 'malformed') {
    problems.push({ variable: 'GRPC_TLS_KEY', problem: 'must be a private key in PEM' });
  }
  if (authority === 'malformed') {
    problems.push({ variable: 'GRPC_TLS_CA', problem: 'must be certificates in PEM' });
  }
  if (typeof certificate === 'object' && typeof key === 'object') {
    const isOfKey = certificate.checkPrivateKey(key);
    if (!isOfKey)
      problems.push({ variable: 'GRPC_TLS_KEY', problem: 'must be the key of GRPC_TLS_CERT' });
  }
  return problems;
}

function parsed<T>(
  pem: string | undefined,
  parse: (pem: string) => T,
): T | 'malformed' | undefined {
  if (pem === undefined) return undefined;
  try {
    return parse(pem);
  } catch {
    return 'malformed';
  }
}
