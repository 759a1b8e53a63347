import { ChannelCredentials, experimental, ServerCredentials } from '@grpc/grpc-js';
import { certificateFilesOf } from './certificate-files';
import type { TransportSecurity } from './transport-security';

/** Credentials of a server. Callers must present a certificate of the authority. */
export function serverCredentials(security: TransportSecurity | undefined): ServerCredentials {
  if (security === undefined) return ServerCredentials.createInsecure();
  const { certificate, key, authority, files } = security;
  if (files !== undefined) {
    const provider = certificateFilesOf({ ...security, files });
    return experimental.createCertificateProviderServerCredentials(provider, provider, true);
  }
  const pair = { cert_chain: Buffer.from(certificate), private_key: Buffer.from(key) };
  return ServerCredentials.createSsl(Buffer.from(authority), [pair], true);
}

/**
 * Credentials of a client. The service must present a certificate of the authority for the name by
 * which it is called.
 */
export function channelCredentials(security: TransportSecurity | undefined): ChannelCredentials {
  if (security === undefined) return ChannelCredentials.createInsecure();
  const { certificate, key, authority, files } = security;
  if (files !== undefined) {
    const provider = certificateFilesOf({ ...security, files });
    return experimental.createCertificateProviderChannelCredentials(provider, provider);
  }
  return ChannelCredentials.createSsl(
    Buffer.from(authority),
    Buffer.from(key),
    Buffer.from(certificate),
  );
}
