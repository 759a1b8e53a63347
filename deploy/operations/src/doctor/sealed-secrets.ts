import { dataKeyIdOf } from '@billing/chassis/data-keys';
import type { Db } from 'mongodb';

interface SealedDocument {
  readonly _id: string;
  readonly secret?: string;
  readonly retiredSecrets?: readonly { readonly secret: string }[];
  readonly secondFactor?: { readonly sealedSecret: string } | null;
}

/** Collections with secrets that are sealed under DATA_KEYS, by service, and a field of each. */
const places: Readonly<Record<string, readonly [string, string]>> = {
  notifier: ['webhookEndpoints', 'secret'],
  identity: ['operators', 'secondFactor.sealedSecret'],
};

/** Counts the sealed secrets of a service by the id of their key. */
export async function readSealedSecrets(db: Db, service: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const place = places[service];
  if (place === undefined) return counts;
  const [collection, field] = place;
  const documents = db
    .collection<SealedDocument>(collection)
    .find({ [field]: { $regex: '^sealed:' } })
    .project<SealedDocument>({ secret: 1, retiredSecrets: 1, secondFactor: 1 });
  for await (const document of documents) {
    for (const text of textsOf(document)) {
      const id = dataKeyIdOf(text);
      if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return counts;
}

function textsOf({ secret, retiredSecrets = [], secondFactor }: SealedDocument): string[] {
  const texts = [secret, secondFactor?.sealedSecret, ...retiredSecrets.map((one) => one.secret)];
  return texts.filter((text) => text !== undefined);
}
