import { eventually } from '@billing/chassis/testing';
import type { Locator, Page } from 'playwright-core';
import { desktop, expectAccessible, phone } from '../support/browser-visit';

/** What a person does on a page, by one kind of input alone. */
export interface Hands {
  /** Presses a button, a link, a box to check or a radio button. */
  readonly press: (target: Locator) => Promise<void>;
  /** Replaces the text of a field. */
  readonly type: (field: Locator, text: string) => Promise<void>;
  /** Chooses from a list of the browser. */
  readonly choose: (list: Locator, label: string) => Promise<void>;
  /** Searches in the list of a picker of the dashboard, and chooses from it. */
  readonly pick: (picker: Locator, text: string) => Promise<void>;
  /** Sends the form of the field that was typed last. */
  readonly send: (button: Locator) => Promise<void>;
}

const tabsMax = 120;

/** Tab reaches every element, and its focus is visible; Enter and Space press it. */
function keyboardOf(page: Page): Hands {
  const { keyboard } = page;
  const reach = async (target: Locator) => {
    await target.waitFor();
    // A screenshot of the whole page may have scrolled the focused element out of sight.
    const focused = target.and(page.locator(':focus'));
    if ((await focused.count()) === 1) await focused.scrollIntoViewIfNeeded();
    for (let tabs = 0; tabs < tabsMax; tabs += 1) {
      if ((await target.and(page.locator(':focus')).count()) === 1) {
        return expectVisibleFocus(page);
      }
      await keyboard.press('Tab');
    }
    throw new Error(`Tab does not reach ${String(target)}`);
  };
  return {
    press: async (target) => {
      await reach(target);
      await keyboard.press((await isChoice(target)) ? 'Space' : 'Enter');
    },
    type: async (field, text) => {
      await reach(field);
      await keyboard.press('Control+A');
      await keyboard.type(text);
    },
    choose: async (list, label) => {
      await reach(list);
      await keyboard.press('Home');
      const places = await list.locator('option').count();
      for (let place = 0; place < places; place += 1) {
        if ((await list.evaluate(chosenLabel)) === label) return;
        await keyboard.press('ArrowDown');
      }
      throw new Error(`The list has no ${label}`);
    },
    pick: async (picker, text) => {
      await reach(picker);
      await keyboard.press('Enter');
      const match = await search(page, (field) => reachedBySearch(page, field, text), text);
      await keyboard.press('ArrowDown');
      await match.and(page.locator('[data-highlighted]')).waitFor();
      await keyboard.press('Enter');
      await match.waitFor({ state: 'detached' });
    },
    send: () => keyboard.press('Enter'),
  };
}

/** A finger touches what it uses; no text is entered in any other way than by keys of a screen. */
function fingersOf(page: Page): Hands {
  return {
    press: (target) => target.tap(),
    type: async (field, text) => {
      await field.tap();
      await field.fill('');
      await field.pressSequentially(text);
    },
    choose: async (list, label) => {
      // The list itself is drawn by the device.
      await list.tap();
      await list.selectOption({ label });
    },
    pick: async (picker, text) => {
      await picker.tap();
      const match = await search(page, (field) => field.fill(text), text);
      await match.tap();
      await match.waitFor({ state: 'detached' });
    },
    send: (button) => button.tap(),
  };
}

/** Viewport, input and name of a way to use the pages. */
export const byKeyboard = { name: 'by keyboard', viewing: desktop, handsOf: keyboardOf } as const;
export const byTouch = { name: 'by touch', viewing: phone, handsOf: fingersOf } as const;
export type Way = typeof byKeyboard | typeof byTouch;

/** On a phone every target of the page is large enough, or far enough from the next one. */
export async function expectReachable(page: Page, { handsOf }: Way): Promise<void> {
  if (handsOf === fingersOf) await expectAccessible(page, ['target-size']);
}

async function isChoice(target: Locator): Promise<boolean> {
  return target.evaluate(({ type }: any) => ['checkbox', 'radio'].includes(type));
}

const chosenLabel = ({ selectedOptions }: any): string => selectedOptions[0].textContent.trim();

async function reachedBySearch(page: Page, field: Locator, text: string): Promise<void> {
  await field.and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
}

/** Types into the search field of an open picker until the text is found. */
async function search(
  page: Page,
  type: (field: Locator) => Promise<void>,
  text: string,
): Promise<Locator> {
  const field = page.getByRole('combobox', { name: /^Find / });
  const match = page.getByRole('option').filter({ hasText: text }).first();
  await field.waitFor();
  // The page does not repeat a search that took too long.
  await eventually(async () => {
    await type(field);
    await match.waitFor({ timeout: 10_000 });
  });
  return match;
}

/** The focused element has an outline, is in the window, and nothing covers it. */
async function expectVisibleFocus(page: Page): Promise<void> {
  await eventually(async () => {
    expect([page.url(), await page.evaluate(hiddenFocus)]).toEqual([page.url(), undefined]);
  });
}

const hiddenFocus = `(() => {
  const { activeElement: focused } = document;
  const { outlineStyle, outlineWidth } = getComputedStyle(focused);
  const hasOutline = outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
  const { left, top, width, height } = focused.getBoundingClientRect();
  const shown = document.elementFromPoint(
    left + Math.min(width / 2, innerWidth / 2),
    top + Math.min(height / 2, innerHeight / 2),
  );
  const isShown = shown !== null && (focused.contains(shown) || shown.contains(focused));
  return hasOutline && isShown ? undefined : { hasOutline, isShown, html: focused.outerHTML.slice(0, 200) };
})()`;
