import { card, Payer, type PayerPage, type Typed } from '../support/payer';
import { Visitor } from '../support/visitor';
import { type CardName, cards } from './step';

/** The public pages, and the actions of payers on them. */
export class Shopfront {
  private readonly payer: Payer;

  constructor(
    private readonly url: string,
    private readonly counted: () => void,
  ) {
    this.payer = new Payer(url);
  }

  /** Tries cards on a page, and approves a bank's challenge. Does nothing where nothing is owed. */
  async pay(address: string, names: readonly CardName[]): Promise<void> {
    let page = await this.open(address);
    for (const name of names) {
      if (!takesCard(page)) return;
      page = await this.submit(page, card(cards[name]));
      if (page.text.includes('Approve')) page = await this.submit(page, {}, 'Approve');
    }
  }

  /** Orders at a link; returns the address of the session's page. */
  async order(address: string, { email, productId }: { email: string; productId: string }) {
    return (await this.submit(await this.open(address), { email, productId })).url;
  }

  /** Saves a card in the portal as the default, unless it is saved already. */
  async saveCard(signInLink: string, name: CardName): Promise<void> {
    const visitor = new Visitor(this.url);
    await visitor.submit(await visitor.open(signInLink));
    const methods = await visitor.open('/portal/payment-methods');
    const number = cards[name];
    if (methods.text.includes(`ending in ${number.slice(-4)}`)) return;
    const saved = await visitor.submit(methods, card(number), 'Save card');
    for (let pages = 0; pages < 4; pages += 1) this.counted();
    if (saved.status !== 200) throw new Error(`The card was not saved: ${saved.text}`);
  }

  private async open(address: string): Promise<PayerPage> {
    this.counted();
    return this.payer.open(address);
  }

  private async submit(page: PayerPage, typed: Typed, button?: string): Promise<PayerPage> {
    this.counted();
    return this.payer.submit(page, typed, button === undefined ? {} : { button });
  }
}

function takesCard({ root }: PayerPage): boolean {
  return root.querySelector('[autocomplete=cc-number]') !== null;
}
