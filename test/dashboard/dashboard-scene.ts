import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../support/chromium';
import { newAddress, OperatorClient, password } from '../support/operator-client';
import { PortalScene } from '../support/portal-scene';
import { joinTestSystem } from '../support/shared-system';
import { heading, press } from './page-actions';

/** An owner's browser at the dashboard of a sandbox, and the sandbox's resources. */
export class DashboardScene {
  private constructor(
    readonly browser: Browser,
    readonly scene: PortalScene,
    /** URL of the dashboard of the scene's sandbox. */
    private readonly place: string,
    /** The owner's email address. */
    private readonly address: string,
  ) {}

  /** Joins the shared system, and starts Chromium from its program. */
  static async begin(program: string): Promise<DashboardScene> {
    const system = await joinTestSystem();
    const browser = await launchChromium(program);
    const address = newAddress();
    const owner = await OperatorClient.owner(system, address);
    const scene = await PortalScene.begin(system);
    const { data } = (await owner.api('GET', '/environments')).body;
    const { id } = data.find(({ name }: { name: string | null }) => name === 'test');
    const place = `${system.gatewayUrl}/dashboard/${String(id)}`;
    return new DashboardScene(browser, scene, place, address);
  }

  async end(): Promise<void> {
    await this.browser.close();
  }

  async open(page: Page, path: string): Promise<void> {
    await page.goto(`${this.place}${path}`);
    await heading(page, /./);
  }

  async signIn(page: Page): Promise<void> {
    await page.goto(this.place);
    await page.getByLabel('Email').fill(this.address);
    await page.getByLabel('Password').fill(password);
    await press(page, 'Sign in');
    await page.getByText('Sandbox time:').waitFor();
  }
}
