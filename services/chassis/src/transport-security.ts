import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Logger } from './logging';

/** What a process proves itself by to its peers, and whom it believes; all in PEM. */
export interface TransportSecurity {
  /** The process's own, followed by those between it and the authority. */
  readonly certificate: string;
  readonly key: string;
  /** Whoever holds a certificate of this authority is one of us. */
  readonly authority: string;
  /** Where the three were read from, and are read again; absent: they stay as they are. */
  readonly files?: CertificateFilePaths | undefined;
}

/** Whoever issues certificates for days or hours puts new ones in these places. */
export interface CertificateFilePaths {
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
  readonly rereadEveryMs: number;
  /** Told when there are new ones, and when they are of no use. */
  readonly logger?: Logger | undefined;
}

/** The part of a configuration that says how calls are secured. */
export interface TransportSecurityVariables {
  readonly GRPC_TLS_CERT?: string | undefined;
  readonly GRPC_TLS_KEY?: string | undefined;
  readonly GRPC_TLS_CA?: string | undefined;
  readonly GRPC_TLS_CERT_FILE?: string | undefined;
  readonly GRPC_TLS_KEY_FILE?: string | undefined;
  readonly GRPC_TLS_CA_FILE?: string | undefined;
  readonly GRPC_TLS_REREAD_MS?: number | undefined;
}

// Certificates are replaced long before they end; files are cheap to look at.
export const rereadEveryMsDefault = 10_000;

const variables = ['GRPC_TLS_CERT', 'GRPC_TLS_KEY', 'GRPC_TLS_CA'] as const;

/** Undefined where calls are plain: on one machine's sockets, or where something outside the process secures them. */
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

/** What is wrong with the three together, by variable: one alone would leave calls open where somebody meant to secure them. */
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
