import { join } from 'node:path';
import { randomSecret } from '@billing/chassis/ids';
import { z } from 'zod';
import { readJsonIfThere, writePrivateJson } from './private-file';
import type { Secrets } from './service-environment';

const SECRET_BYTES = 32;
const secret = z.string().min(SECRET_BYTES);
// One that a folder of an earlier version lacks is made when it is first needed.
const schema = z.object({
  apiKeyPepper: secret,
  hostedPageSecret: secret.optional(),
  portalSecret: secret.optional(),
});

export function newSecrets(): Secrets {
  const one = () => randomSecret(SECRET_BYTES).toString('base64url');
  return { apiKeyPepper: one(), hostedPageSecret: one(), portalSecret: one() };
}

/** Made on the first start. A damaged file is an error: with other secrets the stored keys would be worthless. */
export async function ensureSecrets(dataDir: string): Promise<Secrets> {
  const file = join(dataDir, 'secrets.json');
  const stored = await readJsonIfThere(file);
  const kept: Partial<Secrets> = stored === undefined ? {} : schema.parse(stored);
  const secrets = { ...newSecrets(), ...kept };
  const isComplete = kept.hostedPageSecret !== undefined && kept.portalSecret !== undefined;
  if (!isComplete) await writePrivateJson(file, secrets);
  return secrets;
}
