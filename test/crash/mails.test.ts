import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '@billing/chassis/clock';
import { eventually } from '@billing/chassis/testing';
import { expectInvariants } from '../invariants/expectation';
import { startMailServer, type MailServerStep, type TestMailServer } from '../support/mail-server';
import { PersistentClient } from '../support/persistent-client';
import { isNightly, numbersFrom } from '../support/rounds';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';

const killsCount = isNightly ? 200 : 8;
const mailsPerKill = 10;
const seed = Number(process.env.MAIL_SEED ?? Date.now() % 1_000_000);
const random = numbersFrom(seed);
/** The usual number of connections to a mail server. */
const connectionsMax = 5;
// Long enough for kills between content and answer.
const answerAfterMs = 60;
const killAfterMsMax = 800;
const watchEveryMs = 20;
const killTimeoutMs = 60_000;
// The claims of a killed sender last for a minute.
const settleTimeoutMs = 300_000;
const loadTimeoutMs = (isNightly ? 60 : 10) * 60_000;

describe('emails of a live environment while the notifier is killed', () => {
  let folder: string;
  let server: TestMailServer;
  let system: OwnTestSystem;
  let client: PersistentClient;
  let boundaries: readonly string[];
  let emails: any[] = [];
  const steps: (MailServerStep & { readonly generation: number })[] = [];
  const kills: string[] = [];
  const invoiceIds: string[] = [];
  const recipients = new Set<string>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'billing-m-'));
    const observe = (step: MailServerStep) => steps.push({ ...step, generation: kills.length });
    server = await startMailServer({ observe, answerAfterMs });
    system = await startTestSystem({
      ...{ processes: true, failpointsFolder: folder, gateway: server.settings },
    });
    client = new PersistentClient(system.live);
    const kindsOff = { INVOICE_ISSUED: { attachPdf: false } };
    await client.patch('/email-settings', { kinds: kindsOff });
    boundaries = await recordBoundaries();
    while (kills.length < killsCount) await killOnce();
    emails = await untilSettled();
  }, loadTimeoutMs);

  afterAll(async () => {
    const counts = Map.groupBy(emails, ({ status }) => String(status));
    const shown = [...counts].map(([status, some]) => `${String(some.length)} ${status}`);
    const again = emails.filter(({ attempts }) => attempts > 1).length;
    process.stderr.write(
      `seed ${String(seed)}: ${shown.join(', ')}, ${String(again)} attempted again; killed: ${kills.join(' ')}\n`,
    );
    await system.stop();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Issues an invoice to a customer of its own. */
  async function issueInvoice(): Promise<void> {
    const email = `payer-${String(recipients.size + 1)}@example.com`;
    recipients.add(email);
    const terms = { collectionMethod: 'SEND_INVOICE', currency: 'USD' };
    const { id: customerId } = await client.post(201, '/customers', { email, ...terms });
    const lines = [{ description: 'Setup', amount: 500 }];
    const { id } = await client.post(201, '/invoices', { customerId, lines, finalize: true });
    invoiceIds.push(id as string);
  }

  /** The writes by which a mail is made and sent, each before and after. */
  async function recordBoundaries(): Promise<string[]> {
    await issueInvoice();
    await untilSettled();
    const hits = (await readFile(join(folder, 'hits'), 'utf8')).split('\n');
    const isWrite = (hit: string) =>
      /^notifier\/(emails|mailPositions)\//.test(hit) &&
      !/\/(find|findOne|aggregate|countDocuments):/.test(hit);
    return [...new Set(hits.filter(isWrite))].sort();
  }

  /** Issues invoices, and kills the notifier at a write or at any moment. */
  async function killOnce(): Promise<void> {
    const pid = await eventually(() => {
      const { notifier } = system.pids();
      if (notifier === undefined) throw new Error('The notifier does not run');
      return notifier;
    });
    const boundary = boundaries[Math.floor(random() * boundaries.length * 1.5)];
    // Writes of single mails happen for each mail, all others perhaps once for all of them.
    const isOfMail = boundary?.startsWith('notifier/emails/') === true && !/bulk/.test(boundary);
    const hit = isOfMail ? 1 + Math.floor(random() * mailsPerKill) : 1;
    const killAfterMs = random() * killAfterMsMax;
    if (boundary !== undefined) {
      await writeFile(join(folder, 'kills'), `${boundary} ${String(hit)}\n`);
    }
    const issuing = Promise.all(Array.from({ length: mailsPerKill }, () => issueInvoice()));
    if (boundary === undefined) {
      await sleep(killAfterMs);
      process.kill(pid, 'SIGKILL');
    }
    await eventually(
      () => {
        if (system.pids().notifier === pid) throw new Error(`Not killed at ${String(boundary)}`);
      },
      { timeoutMs: killTimeoutMs, everyMs: watchEveryMs, everyMsMax: watchEveryMs },
    );
    kills.push(boundary ?? 'ANY');
    await issuing;
  }

  async function untilSettled(): Promise<any[]> {
    return eventually(
      async () => {
        const all = await system.live.all('/emails');
        const waiting = all.filter(({ status }) => status === 'PENDING').length;
        if (all.length < invoiceIds.length || waiting > 0) {
          throw new Error(`${String(all.length)} emails, ${String(waiting)} of them wait`);
        }
        return all;
      },
      { timeoutMs: settleTimeoutMs, everyMs: 500 },
    );
  }

  const handedOver = () => steps.flatMap(({ messageId }) => messageId ?? []);

  test('are made once for each invoice', () => {
    expect(emails.map(({ invoiceId }) => invoiceId).sort()).toEqual(invoiceIds.toSorted());
    expect(new Set(emails.map(({ to }) => to))).toEqual(recipients);
  });

  test('are handed over once each at most', () => {
    const messageIds = handedOver();
    expect(new Set(messageIds).size).toBe(messageIds.length);
  });

  test('are SENT if the server took them, and UNKNOWN only if a kill came between', () => {
    const lost = lostAtKills(steps, kills.length);
    for (const { to, status } of emails) {
      const taken = server.contentsTo(to as string).length;
      expect([to, status, taken]).toEqual(
        status === 'SENT' ? [to, 'SENT', 1] : [to, 'UNKNOWN', expect.any(Number)],
      );
      if (status === 'UNKNOWN') expect(lost).toContain(to);
    }
  });

  test('were interrupted at each kill, and keep the invariants', async () => {
    expect(kills).toHaveLength(killsCount);
    const { live } = system;
    await expectInvariants(system, live, { handedOver, timeoutMs: settleTimeoutMs });
  });
});

/**
 * Recipients whose mail a killed process had handed over and not settled. A mail keeps its
 * connection's place until it is settled: where all places have other mails, it is settled.
 */
function lostAtKills(
  steps: readonly (MailServerStep & { readonly generation: number })[],
  killsDone: number,
): Set<string> {
  const lost = new Set<string>();
  for (let generation = 0; generation < killsDone; generation += 1) {
    const open = new Map<number, string>();
    let unsettled = new Set<string>();
    for (const { kind, session, to } of steps.filter((step) => step.generation === generation)) {
      if (kind === 'OPEN') open.set(session, '');
      if (kind === 'DATA') open.set(session, to);
      if (open.size >= connectionsMax) unsettled = new Set();
      if (kind !== 'CLOSE') continue;
      const recipient = open.get(session) ?? '';
      open.delete(session);
      if (recipient !== '') unsettled.add(recipient);
    }
    for (const recipient of [...unsettled, ...open.values()]) lost.add(recipient);
  }
  return lost;
}
