import { createPrivateKey, X509Certificate } from 'node:crypto';
import { ChannelCredentials, ServerCredentials } from '@grpc/grpc-js';

/** What a process proves itself by to its peers, and whom it believes; all in PEM. */
export interface TransportSecurity {
  /** The process's own, followed by those between it and the authority. */
  readonly certificate: string;
  readonly key: string;
  /** Whoever holds a certificate of this authority is one of us. */
  readonly authority: string;
}

/** The part of a configuration that says how calls are secured. */
export interface TransportSecurityVariables {
  readonly GRPC_TLS_CERT?: string | undefined;
  readonly GRPC_TLS_KEY?: string | undefined;
  readonly GRPC_TLS_CA?: string | undefined;
}

const variables = ['GRPC_TLS_CERT', 'GRPC_TLS_KEY', 'GRPC_TLS_CA'] as const;

/** Undefined where calls are plain: on one machine's sockets, or where something outside the process secures them. */
export function transportSecurityOf({
  GRPC_TLS_CERT: certificate,
  GRPC_TLS_KEY: key,
  GRPC_TLS_CA: authority,
}: TransportSecurityVariables): TransportSecurity | undefined {
  if (certificate === undefined || key === undefined || authority === undefined) return undefined;
  return { certificate, key, authority };
}

/** What is wrong with the three together, by variable: one alone would leave calls open where somebody meant to secure them. */
export function transportSecurityProblems(
  values: TransportSecurityVariables,
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

/** Callers must show a certificate of the authority. */
export function serverCredentials(security: TransportSecurity | undefined): ServerCredentials {
  if (security === undefined) return ServerCredentials.createInsecure();
  const { certificate, key, authority } = security;
  const pair = { cert_chain: Buffer.from(certificate), private_key: Buffer.from(key) };
  return ServerCredentials.createSsl(Buffer.from(authority), [pair], true);
}

/** The service must show a certificate of the authority for the name by which it is called. */
export function channelCredentials(security: TransportSecurity | undefined): ChannelCredentials {
  if (security === undefined) return ChannelCredentials.createInsecure();
  const { certificate, key, authority } = security;
  return ChannelCredentials.createSsl(
    Buffer.from(authority),
    Buffer.from(key),
    Buffer.from(certificate),
  );
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
