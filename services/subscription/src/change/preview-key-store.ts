import { randomSecret } from '@billing/chassis/ids';
import { retryTransient } from '@billing/chassis/mongo';
import type { Service } from '@billing/chassis/service';

interface KeyDocument {
  readonly _id: string;
  readonly secret: string;
}

const secretBytes = 32;

/** The secret that signs preview tokens. The first preview creates it for all replicas. */
export class PreviewKeys {
  private cached: string | undefined;

  constructor(private readonly service: Pick<Service, 'db'>) {}

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
