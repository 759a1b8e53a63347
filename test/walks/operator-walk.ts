import type { Locator, Page } from 'playwright-core';
import { look } from '../dashboard/page-actions';
import { password } from '../support/operator-client';
import { expectReachable, type Hands, type Way } from './hands';

/** A walk of an operator through the dashboard, by one kind of input alone. */
export class OperatorWalk {
  readonly hands: Hands;

  constructor(
    readonly page: Page,
    private readonly way: Way,
  ) {
    this.hands = way.handsOf(page);
  }

  get dialog(): Locator {
    return this.page.locator('.dialog');
  }

  button(name: string): Locator {
    return this.page.locator('main').getByRole('button', { name, exact: true });
  }

  field(label: string): Locator {
    return this.dialog.getByLabel(label, { exact: true });
  }

  async signIn(email: string): Promise<void> {
    await this.hands.type(this.page.getByLabel('Email'), email);
    await this.hands.type(this.page.getByLabel('Password'), password);
    await this.hands.send(this.page.getByRole('button', { name: 'Sign in' }));
  }

  /** Opens a page by its entry in the navigation, which a phone shows in a menu. */
  async open(name: string): Promise<void> {
    const menu = this.page.getByRole('button', { name: 'Menu' });
    if (await menu.isVisible()) await this.hands.press(menu);
    const navigation = this.page.getByRole('navigation', { name: 'Dashboard' });
    await this.hands.press(navigation.getByRole('link', { name, exact: true }));
    await this.heading(name);
  }

  async heading(name: string | RegExp): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name }).waitFor();
  }

  /**
   * Opens a dialog by a button, which has the focus again when the dialog is done; the page has it
   * if the button is gone.
   */
  async inDialog(opener: string, work: () => Promise<void>): Promise<void> {
    await this.openDialog(opener);
    await work();
    await this.dialog.waitFor({ state: 'detached' });
    const focused = this.button(opener).or(this.page.locator('main'));
    await focused.and(this.page.locator(':focus')).waitFor();
  }

  async openDialog(opener: string): Promise<void> {
    await this.hands.press(this.button(opener));
    // The first field, or the first button of a dialog without fields.
    await this.dialog.locator(':focus').waitFor();
  }

  /** Sends the form of the dialog. */
  async send(name: string): Promise<void> {
    await this.hands.send(this.dialog.getByRole('button', { name, exact: true }));
  }

  /** Presses a button of the dialog. */
  async confirm(name: string): Promise<void> {
    await this.hands.press(this.dialog.getByRole('button', { name, exact: true }));
  }

  async look(name: string): Promise<void> {
    await look(this.page, `${name} ${this.way.name}`);
    await expectReachable(this.page, this.way);
  }
}
