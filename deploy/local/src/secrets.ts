import { join } from 'node:path';
import { randomSecret } from '@billing/chassis/ids';
import { z } from 'zod';
import { readJsonIfThere, writePrivateJson } from './private-file';
import type { Secrets } from './service-environment';

const SECRET_BYTES = 32;
const schema = z.object({ apiKeyPepper: z.string().min(SECRET_BYTES) });

export function newSecrets(): Secrets {
  return { apiKeyPepper: randomSecret(SECRET_BYTES).toString('base64url') };
}

/** Made on the first start. A damaged file is an error: with other secrets the stored keys would be worthless. */
export async function ensureSecrets(dataDir: string): Promise<Secrets> {
  const file = join(dataDir, 'secrets.json');
  const kept = await readJsonIfThere(file);
  if (kept !== undefined) return schema.parse(kept);
  const secrets = newSecrets();
  await writePrivateJson(file, secrets);
  return secrets;
}
