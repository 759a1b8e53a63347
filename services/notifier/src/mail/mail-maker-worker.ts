import { type CallContext, type Tenant, workContext } from '@billing/chassis/call-context';
import { monotonicMs, sleep } from '@billing/chassis/clock';
import { derivedId, newId } from '@billing/chassis/ids';
import { KeyedRetryQueue } from '@billing/chassis/keyed-retry-queue';
import type { MailKind } from '@billing/presentation/mail-kind';
import type { FeedStore, PlacedEntry } from '../feed/feed-store';
import type { Message, MessageStore } from '../message/message-store';
import type { EventLogOwner } from '../peer/peers';
import { readMailEvent } from './events';
import { attachesPdfNow } from '../mail-settings/email-settings';
import { findMailDocument } from '../attachment/find-mail-document';
import { findLook, findMailFacts, type MailLook, type MailSubject } from './find-mail-facts';
import { type EmailCreation, createEmail } from './create-email';
import type { MailEvent } from './mail-event';
import type { MailPositionStore } from './mail-position-store';
import { mailedTypes, mailKindOf } from './mail-rule';
import { resourcesOf } from './new-email';

export interface MailMakerDependencies extends EmailCreation {
  readonly feed: Pick<FeedStore, 'readAfter' | 'firstPosition' | 'lastPosition' | 'environments'>;
  readonly messages: Pick<MessageStore, 'findAll'>;
  readonly positions: Pick<MailPositionStore, 'find' | 'moveTo'>;
  /** Log of the events of invoices and credit notes. */
  readonly invoices: EventLogOwner;
  readonly isDeleted: (environmentId: string) => boolean;
  /** Real time of the opening after the last restore; undefined: none since the data began. */
  readonly openedAt: () => Promise<Date | undefined>;
}

type MailMessage = Message & { readonly tenant: Tenant };

const batchSize = 100;
const runningMax = 4;
const waitingMax = 10_000;
const retryMsMin = 500;
const retryMsMax = 30_000;
// The caller asks again while mails are left.
const settleMsMax = 1_000;
const settlePollMs = 20;
// After an outage, payers are not flooded with old news.
const liveAgeMaxMs = 3 * 24 * 60 * 60 * 1_000;

/**
 * Makes the mails of events: reads each environment's feed from a stored position, which it moves
 * once the mails are stored. Any process may do so concurrently, since the id of a mail is derived
 * from its event. A fact that cannot be read delays the mails of its environment only.
 */
export class MailMaker {
  private readonly stopping = new AbortController();
  private readonly queue: KeyedRetryQueue;

  constructor(private readonly dependencies: MailMakerDependencies) {
    this.queue = new KeyedRetryQueue({
      runningMax,
      waitingMax,
      retryDelayMs: (failures) => Math.min(retryMsMin * 2 ** (failures - 1), retryMsMax),
      onFailure: ({ key: environmentId, error }) => {
        dependencies.logger.warn({ err: error, environmentId }, 'making mails failed, retrying');
      },
    });
  }

  /** Makes the mails of an environment whose feed has grown. */
  wake(environmentId: string): void {
    this.queue.submit(environmentId, async () => {
      // One batch a turn: an environment with a long feed keeps no other one waiting.
      if (await this.makeBatch(environmentId)) this.wake(environmentId);
    });
  }

  /** Wakes the environments whose feed was not read to its end, as a dead process leaves them. */
  async sweep(signal?: AbortSignal): Promise<void> {
    const { feed, positions } = this.dependencies;
    for await (const environmentId of feed.environments()) {
      if (signal?.aborted === true) return;
      const [position, newest] = await Promise.all([
        positions.find(environmentId),
        feed.lastPosition(environmentId),
      ]);
      if (position < newest) this.wake(environmentId);
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.queue.stop();
  }

  /**
   * Waits a moment for the mails of an environment; returns how many entries of its feed are left.
   * Concurrent calls wait for the same work.
   */
  async settle(environmentId: string): Promise<number> {
    const { feed, positions, isDeleted } = this.dependencies;
    const until = monotonicMs() + settleMsMax;
    this.queue.endPause(environmentId);
    this.wake(environmentId);
    for (;;) {
      if (this.stopping.signal.aborted || isDeleted(environmentId)) return 0;
      const [position, newest] = await Promise.all([
        positions.find(environmentId),
        feed.lastPosition(environmentId),
      ]);
      const left = Math.max(newest - position, 0);
      if (left === 0 || monotonicMs() >= until) return left;
      await sleep(settlePollMs, this.stopping.signal);
    }
  }

  /** Makes the mails of the next entries; true if more entries are there already. */
  private async makeBatch(environmentId: string): Promise<boolean> {
    const { positions, isDeleted } = this.dependencies;
    if (this.stopping.signal.aborted || isDeleted(environmentId)) return false;
    const entries = await this.readOn(environmentId, await positions.find(environmentId));
    const last = entries.at(-1);
    if (last === undefined) return false;
    // Once a batch, and only if there is a mail to make.
    let look: Promise<MailLook> | undefined;
    const readLook = (context: CallContext) =>
      (look ??= findLook(this.dependencies.peers, context));
    for (const message of await this.mailed(environmentId, entries)) {
      await this.makeOf(message, readLook);
    }
    await positions.moveTo(environmentId, last.position);
    // Entries that are added from here on wake the maker again.
    return entries.length === batchSize;
  }

  /** Reads entries after a position, up to the first that is missing. */
  private async readOn(environmentId: string, position: number): Promise<PlacedEntry[]> {
    const { feed } = this.dependencies;
    const entries = await feed.readAfter(environmentId, position, batchSize);
    const contiguous = entries.filter((entry, index) => entry.position === position + index + 1);
    if (contiguous.length > 0 || entries.length === 0) return contiguous;
    // Retention has removed what was never read.
    const first = await feed.firstPosition(environmentId);
    return first === undefined || first <= position + 1
      ? []
      : this.readOn(environmentId, first - 1);
  }

  private async mailed(
    environmentId: string,
    entries: readonly PlacedEntry[],
  ): Promise<MailMessage[]> {
    const ids = entries.filter(({ type }) => mailedTypes.has(type)).map((entry) => entry.messageId);
    const messages = await this.dependencies.messages.findAll(environmentId, ids);
    const openedAt = await this.dependencies.openedAt();
    return ids.flatMap((id) => {
      const message = messages.get(id);
      return message !== undefined && this.isMailed(message, openedAt) ? [message] : [];
    });
  }

  // Messages of releases without mails have no tenant, and cause none. The mail of an event that
  // was accepted before a restored system was opened may have been sent before the restore.
  private isMailed(message: Message, openedAt: Date | undefined): message is MailMessage {
    const { tenant, acceptedAt } = message;
    if (tenant === undefined) return false;
    if (tenant.live && openedAt !== undefined && acceptedAt < openedAt) return false;
    const { fromAddress, clock } = this.dependencies;
    const ageMs = clock.now().getTime() - acceptedAt.getTime();
    return !tenant.live || (fromAddress !== undefined && ageMs <= liveAgeMaxMs);
  }

  private async makeOf(
    message: MailMessage,
    readLook: (context: CallContext) => Promise<MailLook>,
  ): Promise<void> {
    const { clock } = this.dependencies;
    const { _id: webhookEventId, tenant, body } = message;
    const read = this.read(webhookEventId, body);
    const kind = read && mailKindOf(read.event);
    if (read === undefined || kind === undefined) return;
    const { at, event } = read;
    const context = workContext(tenant, {
      at,
      clock,
      requestId: newId(),
      stopping: this.stopping.signal,
    });
    const { settings, peers } = this.dependencies;
    const { state: current } = await settings.read(context);
    if (current.disabledKinds.includes(kind)) return;
    const facts = await findMailFacts(peers, subjectOf(event), context, readLook(context));
    if (facts === undefined) return;
    const document = attachesPdfNow(current, kind)
      ? await findMailDocument(message, {
          ...this.dependencies,
          recipient: facts.recipient,
          context,
        })
      : undefined;
    const id = emailId(tenant.environmentId, kind, webhookEventId);
    await createEmail({ id, kind, event, webhookEventId }, facts, {
      ...this.dependencies,
      current,
      document,
      context: { ...context, now: at },
    });
  }

  // An event that is not read today will not be read tomorrow: the events after it are.
  private read(webhookEventId: string, body: string): ReturnType<typeof readMailEvent> {
    try {
      return readMailEvent(body);
    } catch (error) {
      const facts = { alarm: 'mail_unrendered', err: error, webhookEventId };
      this.dependencies.logger.error(facts, 'event of a mail is unreadable');
      return undefined;
    }
  }
}

function subjectOf(event: MailEvent): MailSubject {
  const { customerId } = resourcesOf(event);
  const productId = event.kind === 'SUBSCRIPTION' ? event.data.subscription.productId : undefined;
  return { customerId, productId };
}

/** The id of an event's mail, so that no repeat makes a second one. */
function emailId(environmentId: string, kind: MailKind, webhookEventId: string): string {
  return derivedId(environmentId, 'email', kind, webhookEventId);
}
