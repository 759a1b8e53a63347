import { join } from 'node:path';
import { randomSecret } from '@billing/chassis/ids';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { z } from 'zod';
import { damagedFile, readJsonIfThere, writePrivateJson } from '../files/private-file';
import type { Secrets } from './service-environment';

const SECRET_BYTES = 32;
const secret = z.string().min(SECRET_BYTES);
// A secret that the folder of an earlier version lacks is created when it is first needed.
const schema = z.object({
  apiKeyPepper: secret,
  hostedPageSecret: secret.optional(),
  portalSecret: secret.optional(),
  dataKeys: z.string().optional(),
});

export function newSecrets(): Secrets {
  const one = () => randomSecret(SECRET_BYTES).toString('base64url');
  const dataKeys = `1:${randomSecret(SECRET_BYTES).toString('base64')}`;
  return { apiKeyPepper: one(), hostedPageSecret: one(), portalSecret: one(), dataKeys };
}

/**
 * Creates the secrets on the first start. Stored data is useless without them or with others, so a
 * folder with databases and no secrets is refused.
 */
export async function ensureSecrets(
  dataDir: string,
  { hasData }: { hasData: boolean },
): Promise<Secrets> {
  const file = join(dataDir, 'secrets.json');
  const stored = await readJsonIfThere(file);
  if (stored === undefined && hasData) throw secretsMissing();
  const kept = stored === undefined ? {} : readSecrets(file, stored);
  const secrets = { ...newSecrets(), ...kept };
  const isComplete = Object.keys(secrets).every((name) => name in kept);
  if (!isComplete) await writePrivateJson(file, secrets);
  return secrets;
}

function readSecrets(file: string, stored: unknown): Partial<Secrets> {
  const parsed = schema.safeParse(stored);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw damagedFile(file, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'cannot be read'}`);
}

function secretsMissing(): StartRefusal {
  return new StartRefusal(
    exitStatuses.configuration,
    'secrets.json is missing: restore it from the backup; new secrets would end every key and address',
  );
}
