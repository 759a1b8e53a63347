import { systemClock } from '@billing/chassis/clock';
import { listOf } from './stripe-list';

/** Answers of a card of the account. */
export interface TestCard {
  readonly brand?: string;
  readonly last4?: string;
  /** Default: the end of 2034. */
  readonly expiry?: { readonly month: number; readonly year: number };
  /** Refusal of the issuer. */
  readonly decline?: {
    readonly code?: string;
    readonly decline_code?: string;
    readonly advice_code?: string;
  };
  /** Asks the payer first; a decline comes after that. */
  readonly asksPayer?: boolean;
  /** Given without being saved for later use. */
  readonly isSingleUse?: boolean;
}

type Fields = Readonly<Record<string, string>>;
type Json = Record<string, unknown>;

/** A response of Stripe. */
export interface StripeAnswer {
  readonly status: number;
  readonly body: Json;
}

interface Intent extends Json {
  readonly id: string;
  status: string;
  customer: string | null;
  payment_method: string | null;
  last_payment_error: Json | null;
  next_action: Json | null;
  amount_received: number;
  amount_capturable: number;
  latest_charge: string | null;
  readonly amount: number;
  readonly currency: string;
  /** Seconds since 1970. */
  created: number;
  metadata: Record<string, string>;
}

/** Money that was taken. */
export interface TestPayment {
  readonly intent: string;
  readonly amount: number;
  refunded: number;
}

class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly error: Json,
  ) {
    super(JSON.stringify(error));
  }
}

const parameters: Readonly<Record<string, RegExp>> = {
  'payment_intents/create':
    /^(amount|currency|customer|payment_method|capture_method|allowed_payment_method_types\[\d\]|metadata\[\w+\])$/,
  'payment_intents/confirm': /^(off_session|return_url)$/,
  'payment_intents/capture': /^(amount_to_capture|metadata\[\w+\])$/,
  'payment_intents/cancel': /^$/,
  'customers/create': /^metadata\[\w+\]$/,
  'payment_methods/attach': /^customer$/,
  'checkout/sessions/create':
    /^(mode|customer|success_url|cancel_url|allowed_payment_method_types\[\d\]|metadata\[\w+\])$/,
  'refunds/create': /^(payment_intent|amount|metadata\[\w+\])$/,
};

const smallest: Readonly<Record<string, number>> = { usd: 50, eur: 50, jpy: 50, isk: 0, kwd: 0 };

/** A refund in Stripe's form. */
export interface TestRefund extends Json {
  readonly id: string;
  readonly object: string;
  readonly payment_intent: string;
  readonly amount: number;
  readonly currency: string;
  created: number;
  status: string;
  failure_reason: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Simulates an account at Stripe: its state, and the rules of Stripe's API according to its
 * documentation.
 */
export class TestStripeAccount {
  readonly payments: TestPayment[] = [];
  readonly intents = new Map<string, Intent>();
  readonly customers = new Map<string, Json>();
  readonly cards = new Map<string, TestCard & { customer: string | null; isUsed: boolean }>();
  readonly sessions = new Map<string, Json>();
  readonly setups = new Map<string, Json>();

  private serial = 0;

  /** The name is a part of all ids. */
  constructor(private readonly name: string) {}

  /** Answers one call; the first two parts of a path name its resource. */
  answer(method: string, path: string, fields: Fields): StripeAnswer {
    try {
      return { status: 200, body: this.act(method, path, fields) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.status, body: { error: { message: 'Refused', ...error.error } } };
    }
  }

  /** Adds a card that a payer typed at Stripe, saved for a customer or not. */
  addCard(card: TestCard, customer: string | null): string {
    const id = this.newId('pm');
    this.cards.set(id, { ...card, customer, isUsed: false });
    return id;
  }

  /** Adds a payment that was authorized by another program in the same account. */
  addAuthorization(authorization: {
    readonly amount: number;
    readonly currency?: string;
    readonly card?: TestCard;
    readonly customer?: string | null;
    readonly status?: string;
  }): string {
    const {
      amount,
      currency = 'usd',
      customer = null,
      status = 'requires_capture',
    } = authorization;
    const method = this.addCard(authorization.card ?? {}, customer);
    const intent = this.newIntent({ amount, currency, customer, capture_method: 'manual' });
    Object.assign(intent, { status, payment_method: method });
    if (status === 'requires_capture') intent.amount_capturable = amount;
    if (status === 'succeeded') this.take(intent, amount);
    return intent.id;
  }

  /** Adds a card that was set up by another program in the same account. */
  addSetup(customer: string | null, card: TestCard = {}): string {
    const id = this.newId('seti');
    const method = this.addCard(card, customer);
    this.setups.set(id, { id, status: 'succeeded', customer, payment_method: method });
    return id;
  }

  /** Simulates a payer who gives a card on the page of a session. */
  completeSession(sessionId: string, card: TestCard = {}): void {
    const session = found(this.sessions, sessionId);
    const setup = this.addSetup(session.customer as string, card);
    Object.assign(session, { status: 'complete', setup_intent: setup });
  }

  /** Simulates a late success: the money of an ended payment arrives after all. */
  succeedLate(intentId: string): void {
    const intent = this.intent(intentId);
    const { amount } = intent;
    Object.assign(intent, { status: 'succeeded', amount_received: amount });
    this.payments.push({ intent: intentId, amount, refunded: 0 });
  }

  /** Simulates the payer's answer to a challenge on the bank's page. */
  answerChallenge(intentId: string, isApproved: boolean): void {
    const intent = this.intent(intentId);
    const card = this.cardOf(intent);
    intent.next_action = null;
    const failed = { code: 'payment_intent_authentication_failure', type: 'invalid_request_error' };
    if (!isApproved) this.fail(intent, failed);
    else if (card.decline !== undefined) this.fail(intent, declineOf(card));
    else this.take(intent, intent.amount);
  }

  /** Refunds, the newest first; their status may be changed. */
  readonly refunds: TestRefund[] = [];
  /** Status of new refunds. */
  refundsAre = 'succeeded';
  readonly disputes = new Map<string, Json & { readonly id: string }>();

  /** Amounts taken so far, by payment. */
  taken(): number[] {
    return this.payments.map(({ amount, refunded }) => amount - refunded);
  }

  private act(method: string, path: string, fields: Fields): Json {
    const match = /^\/v1\/(checkout\/sessions|\w+)(?:\/(\w+))?(?:\/(\w+))?$/.exec(path);
    if (match === null) throw new Refusal(404, { type: 'invalid_request_error' });
    const [, noun = '', id = '', verb] = match;
    if (method === 'GET') return this.show(noun, id, fields);
    const action = `${noun}/${verb ?? 'create'}`;
    checkParameters(action, fields);
    switch (action) {
      case 'customers/create':
        return this.createCustomer(fields);
      case 'payment_methods/attach':
        return this.attach(id, fields);
      case 'payment_intents/create':
        return this.createIntent(fields);
      case 'payment_intents/confirm':
        return this.confirm(this.intent(id), fields);
      case 'payment_intents/capture':
        return this.capture(this.intent(id), fields);
      case 'payment_intents/cancel':
        return this.cancel(this.intent(id));
      case 'checkout/sessions/create':
        return this.createSession(fields);
      default:
        return this.refund(fields);
    }
  }

  private show(noun: string, id: string, fields: Fields): Json {
    const expand = Object.values(fields);
    if (noun === 'payment_intents' && id === '') return listOf([...this.intents.values()], fields);
    if (noun === 'payment_intents') return this.expanded(this.intent(id), expand);
    if (noun === 'setup_intents') return this.expanded(found(this.setups, id), expand);
    if (noun === 'payment_methods') return this.showMethod(id);
    if (noun === 'disputes' && id === '') return listOf([...this.disputes.values()], fields);
    if (noun === 'disputes') return found(this.disputes, id);
    if (noun === 'refunds') return listOf(this.refunds, fields);
    const session = found(this.sessions, id);
    const setup = this.setups.get(session.setup_intent as string);
    if (setup === undefined) return session;
    return { ...session, setup_intent: this.expanded(setup, ['payment_method']) };
  }

  private expanded(object: Json, expand: readonly string[]): Json {
    const shown = { ...object };
    if (expand.includes('payment_method') && typeof shown.payment_method === 'string') {
      shown.payment_method = this.showMethod(shown.payment_method);
    }
    if (expand.includes('latest_charge') && typeof shown.latest_charge === 'string') {
      const payment = this.payments.find(({ intent }) => intent === shown.id);
      shown.latest_charge = { id: shown.latest_charge, amount_refunded: payment?.refunded ?? 0 };
    }
    return shown;
  }

  private showMethod(id: string): Json {
    const { customer, brand = 'visa', last4 = '4242', expiry } = found(this.cards, id);
    const { month, year } = expiry ?? { month: 12, year: 2034 };
    return {
      id,
      object: 'payment_method',
      type: 'card',
      customer,
      card: { brand, last4, exp_month: month, exp_year: year },
    };
  }

  private createCustomer(fields: Fields): Json {
    const customer = { id: this.newId('cus'), metadata: metadataOf(fields) };
    this.customers.set(customer.id, customer);
    return customer;
  }

  private attach(id: string, { customer = '' }: Fields): Json {
    const card = found(this.cards, id);
    found(this.customers, customer);
    if (card.isSingleUse === true && card.isUsed) throw refusal('payment_method', undefined);
    card.customer = customer;
    return this.showMethod(id);
  }

  private createIntent(fields: Fields): Json {
    const { amount = '', currency = '', customer = '', payment_method: methodId = '' } = fields;
    if (!/^\d+$/.test(amount)) throw refusal('amount', 'parameter_invalid_integer');
    if (!Object.hasOwn(smallest, currency)) throw refusal('currency', undefined);
    if (Number(amount) < (smallest[currency] ?? 0)) throw refusal('amount', 'amount_too_small');
    if (currency === 'isk' && Number(amount) % 100 !== 0) {
      throw refusal('amount', 'invalid_charge_amount_no_decimal_compatible');
    }
    const card = found(this.cards, methodId);
    if (card.customer !== customer) throw refusal('payment_method', undefined);
    const intent = this.newIntent({
      amount: Number(amount),
      currency,
      customer,
      capture_method: fields.capture_method ?? 'automatic_async',
    });
    intent.payment_method = methodId;
    intent.status = 'requires_confirmation';
    intent.metadata = metadataOf(fields);
    return { ...intent };
  }

  private confirm(intent: Intent, fields: Fields): Json {
    if (!['requires_confirmation', 'requires_payment_method'].includes(intent.status)) {
      throw unexpectedState(intent);
    }
    if (intent.payment_method === null) {
      throw refusal('payment_method', 'payment_intent_unexpected_state');
    }
    const card = this.cards.get(intent.payment_method);
    if (card === undefined || card.customer !== intent.customer) {
      throw refusal('payment_method', undefined);
    }
    if (card.asksPayer === true && fields.off_session === 'true') {
      const code = 'authentication_required';
      return this.decline(intent, { type: 'card_error', code, decline_code: code });
    }
    if (card.asksPayer === true) return this.challenge(intent, fields.return_url);
    if (card.decline !== undefined) return this.decline(intent, declineOf(card));
    this.take(intent, intent.amount);
    return { ...intent };
  }

  private challenge(intent: Intent, returnUrl: string | undefined): Json {
    intent.status = 'requires_action';
    const url = `https://hooks.stripe.test/3d_secure/${intent.id}`;
    intent.next_action =
      returnUrl === undefined
        ? { type: 'use_stripe_sdk', use_stripe_sdk: {} }
        : { type: 'redirect_to_url', redirect_to_url: { url, return_url: returnUrl } };
    return { ...intent };
  }

  private capture(intent: Intent, fields: Fields): Json {
    if (intent.status !== 'requires_capture') throw unexpectedState(intent);
    const amount = Number(fields.amount_to_capture ?? intent.amount_capturable);
    if (amount > intent.amount_capturable) throw refusal('amount_to_capture', 'amount_too_large');
    Object.assign(intent.metadata, metadataOf(fields));
    const card = this.cardOf(intent);
    if (card.decline !== undefined) {
      throw new Refusal(402, { ...declineOf(card), payment_intent: { ...intent } });
    }
    this.take(intent, amount);
    return { ...intent };
  }

  private cancel(intent: Intent): Json {
    if (['succeeded', 'canceled', 'processing'].includes(intent.status)) {
      throw unexpectedState(intent);
    }
    Object.assign(intent, { status: 'canceled', amount_capturable: 0, next_action: null });
    return { ...intent };
  }

  private createSession(fields: Fields): Json {
    const { customer = '', success_url: successUrl, cancel_url: cancelUrl } = fields;
    if (!this.customers.has(customer)) throw refusal('customer', 'resource_missing');
    const id = this.newId('cs_test');
    const url = `https://checkout.stripe.test/c/pay/${id}`;
    const session = {
      id,
      url,
      customer,
      status: 'open',
      setup_intent: null,
      successUrl,
      cancelUrl,
    };
    this.sessions.set(id, session);
    return session;
  }

  /** Refunds a payment; without metadata like an operator by hand. */
  refund(fields: Fields): TestRefund {
    const { payment_intent: intent = '' } = fields;
    const payment = this.payments.find((one) => one.intent === intent);
    if (payment === undefined) throw refusal('payment_intent', undefined);
    if (payment.refunded === payment.amount) throw refusal(undefined, 'charge_already_refunded');
    const amount = Number(fields.amount ?? payment.amount - payment.refunded);
    if (payment.refunded + amount > payment.amount) throw refusal('amount', undefined);
    payment.refunded += amount;
    const refund: TestRefund = {
      ...{ id: this.newId('re'), object: 'refund', payment_intent: intent, amount },
      ...{ currency: 'usd', created: nowInSeconds(), status: this.refundsAre },
      failure_reason: null,
      metadata: metadataOf(fields),
    };
    this.refunds.unshift(refund);
    return refund;
  }

  private take(intent: Intent, amount: number): void {
    this.cardOf(intent).isUsed = true;
    const charge = this.newId('ch');
    Object.assign(intent, { status: 'succeeded', amount_received: amount, amount_capturable: 0 });
    intent.latest_charge = charge;
    this.payments.push({ intent: intent.id, amount, refunded: 0 });
  }

  private fail(intent: Intent, error: Json): void {
    // Like Stripe, removes the declined card, so that a new confirmation must name a card.
    Object.assign(intent, { status: 'requires_payment_method', payment_method: null });
    intent.last_payment_error = error;
  }

  private decline(intent: Intent, error: Json): never {
    this.fail(intent, error);
    throw new Refusal(402, { ...error, payment_intent: { ...intent } });
  }

  private newIntent(
    fields: Pick<Intent, 'amount' | 'currency' | 'customer'> & { capture_method: string },
  ): Intent {
    const intent: Intent = {
      id: this.newId('pi'),
      object: 'payment_intent',
      status: 'requires_payment_method',
      payment_method: null,
      last_payment_error: null,
      next_action: null,
      amount_received: 0,
      amount_capturable: 0,
      latest_charge: null,
      metadata: {},
      created: nowInSeconds(),
      ...fields,
    };
    this.intents.set(intent.id, intent);
    return intent;
  }

  private intent(id: string): Intent {
    return found(this.intents, id);
  }

  // Ids are unique across the accounts under test.
  private newId(prefix: string): string {
    this.serial += 1;
    return `${prefix}_${this.name}x${String(this.serial)}`;
  }

  private cardOf({ payment_method: id }: Intent) {
    return found(this.cards, id ?? '');
  }
}

const nowInSeconds = () => Math.floor(systemClock.now().getTime() / 1_000);

function checkParameters(action: string, fields: Fields): void {
  const allowed = parameters[action];
  if (allowed === undefined) throw new Refusal(404, { type: 'invalid_request_error' });
  for (const name of Object.keys(fields)) {
    if (!allowed.test(name)) throw refusal(name, 'parameter_unknown');
  }
}

function found<T>(objects: ReadonlyMap<string, T>, id: string): T {
  const object = objects.get(id);
  if (object !== undefined) return object;
  throw new Refusal(404, { type: 'invalid_request_error', code: 'resource_missing', param: 'id' });
}

function metadataOf(fields: Fields): Record<string, string> {
  const entries = Object.entries(fields).flatMap(([name, value]) => {
    const key = /^metadata\[(\w+)\]$/.exec(name)?.[1];
    return key === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(entries);
}

function declineOf({ decline }: TestCard): Json {
  return { type: 'card_error', code: 'card_declined', ...decline };
}

function refusal(param: string | undefined, code: string | undefined): Refusal {
  return new Refusal(400, { type: 'invalid_request_error', param, code });
}

function unexpectedState({ status }: Intent): Refusal {
  const code = 'payment_intent_unexpected_state';
  return new Refusal(400, { type: 'invalid_request_error', code, message: `It is ${status}` });
}
