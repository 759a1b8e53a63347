import type { Db } from 'mongodb';
import { randomSecret } from '../ids';
import { retryTransient } from '../mongo/mongo';

interface KeyDocument {
  readonly _id: string;
  readonly secret: string;
}

const secretBytes = 32;

/**
 * The secret of a service that signs its preview tokens. The first preview creates it for all
 * replicas. The collection is `previewKeys`.
 */
export class PreviewKeys {
  private cached: string | undefined;

  constructor(private readonly service: { readonly db: Db }) {}

  async secret(): Promise<string> {
    this.cached ??= await this.readOrCreate();
    return this.cached;
  }

  private readOrCreate(): Promise<string> {
    const keys = this.service.db.collection<KeyDocument>('previewKeys');
    const created = randomSecret(secretBytes).toString('base64url');
    return retryTransient(async () => {
      const document = await keys.findOneAndUpdate(
        { _id: 'current' },
        { $setOnInsert: { secret: created } },
        { upsert: true, returnDocument: 'after' },
      );
      return document?.secret ?? created;
    });
  }
}
