import { createHash } from 'node:crypto';
import { Binary, type Collection, type Db } from 'mongodb';
import type { CallContext } from '@billing/chassis/call-context';
import { duplicateKeyIndex, ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { invalidInput } from '@billing/kernel/domain-error';
import { imageTextOf, logoBytesMax, logoPixelsMax } from '@billing/kernel/input/seller';
import type { Logo } from './billing-settings';
import { readImage } from './image';

interface LogoDocument {
  /** `<environment id>:<sha256>`: the images of an environment are deleted with it. */
  readonly _id: string;
  readonly environmentId: string;
  readonly sha256: string;
  readonly contentType: Logo['contentType'];
  readonly data: Binary | Buffer;
}

/** Image with its media type. */
export interface LogoImage {
  readonly contentType: Logo['contentType'];
  readonly data: Buffer;
}

const sha256Pattern = /^[0-9a-f]{64}$/u;

/**
 * Logos by the hash of their bytes. They are only inserted, because invoices show the logo that
 * they were issued with.
 */
export class LogoStore {
  private readonly documents: Collection<LogoDocument>;

  constructor(db: Db) {
    this.documents = db.collection<LogoDocument>('logos');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.documents, [{ name: 'sha256', key: { sha256: 1 } }]);
  }

  /** Checks and stores the image of a data URL. A repeated call finds it stored. */
  async keep(logo: string, { tenant }: Pick<CallContext, 'tenant'>): Promise<Logo> {
    const data = Buffer.from(imageTextOf(logo), 'base64');
    const image =
      data.length > logoBytesMax ? undefined : readImage(data, { pixelsMax: logoPixelsMax });
    const isAsNamed = image !== undefined && logo.startsWith(`data:${image.contentType};`);
    if (!isAsNamed) throw invalidInput({ logo: ['Invalid image'] });
    const sha256 = createHash('sha256').update(data).digest('hex');
    const { environmentId } = tenant;
    const { contentType } = image;
    const document = {
      _id: `${environmentId}:${sha256}`,
      environmentId,
      sha256,
      contentType,
      data,
    };
    try {
      await retryTransient(() => this.documents.insertOne(document));
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
    }
    return { ...image, size: data.length, sha256 };
  }

  /** Finds an image of any environment. It is public: pages of payers show it. */
  async find(sha256: string): Promise<LogoImage | undefined> {
    if (!sha256Pattern.test(sha256)) return undefined;
    const found = await retryTransient(() => this.documents.findOne({ sha256 }));
    if (found === null) return undefined;
    const { data } = found;
    const bytes = data instanceof Binary ? Buffer.from(data.buffer) : data;
    return { contentType: found.contentType, data: bytes };
  }
}
