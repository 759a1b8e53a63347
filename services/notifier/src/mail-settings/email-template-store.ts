import type { Collection, Db } from 'mongodb';
import { derivedId } from '@billing/chassis/ids';
import { retryUpsert } from '@billing/chassis/inserts';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import type { Language } from '@billing/presentation/locale';
import type { MailKind, MailText } from '@billing/presentation/mail-kind';

/** Kind and language of a template. */
export interface TemplateKey {
  readonly kind: MailKind;
  readonly language: Language;
}

/** The texts that a seller has written for a kind of mail in a language. */
export interface EmailTemplate extends TemplateKey, Partial<MailText> {
  /** Derived from environment, kind and language. */
  readonly _id: string;
  readonly environmentId: string;
  /** Environment time. */
  readonly updatedAt: Date;
}

/** The changed templates of each environment. */
export class EmailTemplateStore {
  private readonly templates: Collection<EmailTemplate>;

  constructor(db: Db) {
    this.templates = db.collection<EmailTemplate>('emailTemplates');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.templates, [
      { name: 'list', key: { environmentId: 1, kind: 1, language: 1 } },
    ]);
  }

  /** Undefined where the built-in texts count. */
  async find(environmentId: string, key: TemplateKey): Promise<EmailTemplate | undefined> {
    const _id = templateId(environmentId, key);
    const found = await retryTransient(() => this.templates.findOne({ _id, environmentId }));
    return found ?? undefined;
  }

  /** All templates, by kind and language: at most one for each. */
  async list(environmentId: string): Promise<EmailTemplate[]> {
    return retryTransient(() =>
      this.templates.find({ environmentId }).sort({ kind: 1, language: 1 }).toArray(),
    );
  }

  /** Replaces the given texts; others stay. */
  async change(
    environmentId: string,
    { kind, language }: TemplateKey,
    { texts, now }: { readonly texts: Partial<MailText>; readonly now: Date },
  ): Promise<void> {
    const _id = templateId(environmentId, { kind, language });
    await retryUpsert(() =>
      this.templates.updateOne(
        { _id, environmentId },
        { $set: { ...texts, kind, language, updatedAt: now } },
        { upsert: true },
      ),
    );
  }

  async remove(environmentId: string, key: TemplateKey): Promise<void> {
    const _id = templateId(environmentId, key);
    await retryTransient(() => this.templates.deleteOne({ _id, environmentId }));
  }
}

function templateId(environmentId: string, { kind, language }: TemplateKey): string {
  return derivedId(environmentId, 'emailTemplate', kind, language);
}
