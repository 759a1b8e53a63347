import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { Restores } from '@billing/chassis/restores';
import type { Service } from '@billing/chassis/service';
import type { NotifierConfiguration } from './config';
import type { FeedStore } from './feed/feed-store';
import type { Email } from './mail/email';
import { emailRetentionDays, EmailRetentionStore } from './mail/email-retention-store';
import { MailMaker } from './mail/mail-maker-worker';
import { MailSender, type MailSenderDependencies } from './mail/mail-sender-worker';
import { MailPositionStore } from './mail/mail-position-store';
import { mailRpc } from './mail/mail-rpc';
import { mailSettingsRpc } from './mail/mail-settings-rpc';
import type { SuppressionStore } from './mail/suppression-store';
import { emailSettingsDefinition, EmailSettingsStore } from './mail-settings/email-settings-store';
import { EmailTemplateStore } from './mail-settings/email-template-store';
import type { MessageStore } from './message/message-store';
import { operatorEmailDefinition } from './operator-mail/operator-email-document';
import { operatorMailRpc } from './operator-mail/operator-mail-rpc';
import { connectMailPeers, type EventLogOwner } from './peer/peers';
import { endWaitingMails } from './restore/end-waiting-mails';
import type { SmtpSettings } from './smtp/send-by-smtp';

/** Mail as other parts of the process use it. */
export interface RunningMail {
  readonly maker: MailMaker;
  /** Ends the mails that waited at the instant of a restore; returns their number. */
  readonly endWaiting: () => Promise<number>;
  readonly rpcs: readonly ReturnType<typeof mailRpc>[];
}

/** Replacements for tests. */
export interface MailDurations {
  readonly smtpTimeoutMs?: number;
  /** Interval at which a server that cannot be reached is asked. */
  readonly smtpAskEveryMs?: number;
}

const sweepEveryMs = 2 * 60_000;
const smtpTimeoutMsDefault = 30_000;

/** Starts to make mails of events, and returns the calls about them. */
export function startMail(
  service: Service,
  config: NotifierConfiguration,
  stores: {
    readonly emails: AggregateCollection<Email>;
    readonly suppressions: SuppressionStore;
    readonly feed: FeedStore;
    readonly messages: MessageStore;
    /** Log of the events of invoices and credit notes. */
    readonly invoices: EventLogOwner;
  },
  { smtpTimeoutMs = smtpTimeoutMsDefault, smtpAskEveryMs: askEveryMs }: MailDurations,
): RunningMail {
  const { db, clock, logger } = service;
  const { invoices, ...shown } = stores;
  const { feed } = stores;
  const shared = {
    ...shown,
    peers: connectMailPeers(service, {
      customer: config.CUSTOMER_ADDRESS,
      catalog: config.CATALOG_ADDRESS,
      checkout: config.CHECKOUT_ADDRESS,
      subscription: config.SUBSCRIPTION_ADDRESS,
    }),
    settings: new EmailSettingsStore(service.aggregates(emailSettingsDefinition)),
    templates: openTemplates(service),
    fromAddress: config.SMTP_URL && config.MAIL_FROM,
    fromDomains: fromDomainsOf(config),
    bounceAddress: config.MAIL_BOUNCE_ADDRESS,
    smtp: smtpSettingsOf(config, smtpTimeoutMs),
    askEveryMs,
    clock,
    logger,
  };
  const maker = new MailMaker({
    ...shared,
    invoices,
    positions: new MailPositionStore(db, () => feed.restoreCode),
    isDeleted: (environmentId) => service.deletion.isDeleted(environmentId),
    openedAt: () => openedAtOf(service),
  });
  const operatorEmails = service.aggregates(operatorEmailDefinition);
  const retained = [retain(service, 'emails'), retain(service, 'operatorEmails')];
  service.metrics.observeMails(async () => {
    const ages = await Promise.all(retained.map((store) => store.oldestWaitingMs(clock.now())));
    return Math.max(...ages);
  });
  service.onClose('mail maker', () => maker.stop());
  const sender = startSending(service, config, shared);
  shared.emails.handle({
    recover: (id, context) => sender.send({ mails: shared.emails, id }, context),
  });
  operatorEmails.handle({
    recover: (id, context) => sender.send({ mails: operatorEmails, id }, context),
  });
  service.every({
    name: 'make mails that a process left',
    everyMs: sweepEveryMs,
    run: (signal) => maker.sweep(signal),
    onOneReplica: true,
  });
  const operatorMail = operatorMailRpc({ ...shared, operatorEmails });
  const endWaiting = async () => {
    const toPayers = await endWaitingMails(shared.emails, shared);
    return toPayers + (await endWaitingMails(operatorEmails, shared));
  };
  const rpcs = [mailRpc(shared), mailSettingsRpc({ ...shared, sender }), operatorMail];
  return { maker, endWaiting, rpcs };
}

/** Real time of the last opening after a restore. One that was restored is closed until then. */
async function openedAtOf({ db, clock, slices }: Service): Promise<Date | undefined> {
  if (slices.system.restoreCode === null) return undefined;
  const newest = await new Restores(db).newest();
  return newest === undefined ? undefined : (newest.openedAt ?? clock.now());
}

/** Deletes old mails of a collection. */
function retain(service: Service, collection: 'emails' | 'operatorEmails'): EmailRetentionStore {
  const retained = new EmailRetentionStore(service.db, collection);
  service.ensureIndexes(() => retained.ensureIndexes());
  service.retain({
    name: collection === 'emails' ? 'delete old mails' : 'delete old mails to operators',
    days: emailRetentionDays,
    deleteBatch: (before) => retained.deleteBatch(before),
  });
  return retained;
}

function openTemplates(service: Service): EmailTemplateStore {
  const templates = new EmailTemplateStore(service.db);
  service.ensureIndexes(() => templates.ensureIndexes());
  return templates;
}

/** Domains that live environments may send from. */
function fromDomainsOf({ MAIL_FROM, MAIL_FROM_DOMAINS }: NotifierConfiguration): string[] {
  if (MAIL_FROM_DOMAINS !== undefined) return MAIL_FROM_DOMAINS;
  return MAIL_FROM === undefined
    ? []
    : [MAIL_FROM.slice(MAIL_FROM.lastIndexOf('@') + 1).toLowerCase()];
}

function smtpSettingsOf(
  { SMTP_URL: server, SMTP_TLS, SMTP_TLS_CA: authority }: NotifierConfiguration,
  timeoutMs: number,
): SmtpSettings | undefined {
  return server && { server, requiresTls: SMTP_TLS === 'require', authority, timeoutMs };
}

function startSending(
  service: Service,
  config: NotifierConfiguration,
  shared: Omit<MailSenderDependencies, 'connectionsMax' | 'perSecondMax'>,
): MailSender {
  const { SMTP_PER_SECOND_MAX: perSecondMax } = config;
  const sender = new MailSender({
    ...shared,
    connectionsMax: config.SMTP_CONNECTIONS_MAX,
    perSecondMax: perSecondMax === 0 ? undefined : perSecondMax,
  });
  const stop = () => sender.stop(config.SHUTDOWN_GRACE_MS);
  service.onClose('mail sender', stop);
  // Only begun here: due work waits for the attempts, and would give the sender more mails until it
  // stops, too.
  service.onCloseBeforeWork('mail sender, begun', () => {
    void stop();
    return Promise.resolve();
  });
  return sender;
}
