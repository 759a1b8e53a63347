import { MailPlus, Palette, Percent, SlidersHorizontal, Store } from 'lucide-react';
import { page, type Section } from './page-route';

/** Pages of the environment's settings. */
export const settingsSection: Section = {
  title: 'Settings',
  entries: [
    {
      path: '/settings/seller',
      label: 'Seller',
      Icon: Store,
      routes: [
        page(
          '/settings/seller',
          async () => (await import('../../pages/settings/seller-page')).SellerPage,
        ),
      ],
    },
    {
      path: '/settings/branding',
      label: 'Branding',
      Icon: Palette,
      routes: [
        page(
          '/settings/branding',
          async () => (await import('../../pages/settings/branding-page')).BrandingPage,
        ),
      ],
    },
    {
      path: '/settings/tax',
      label: 'Tax',
      Icon: Percent,
      routes: [
        page('/settings/tax', async () => (await import('../../pages/settings/tax-page')).TaxPage),
      ],
    },
    {
      path: '/settings/portal',
      label: 'Customer portal',
      Icon: SlidersHorizontal,
      routes: [
        page(
          '/settings/portal',
          async () => (await import('../../pages/settings/portal-page')).PortalPage,
        ),
      ],
    },
    {
      path: '/settings/email',
      label: 'Email',
      Icon: MailPlus,
      routes: [
        page(
          '/settings/email',
          async () =>
            (await import('../../pages/email-settings/email-settings-page')).EmailSettingsPage,
        ),
        page(
          '/settings/email/:kind/:language',
          async () =>
            (await import('../../pages/email-settings/email-template-page')).EmailTemplatePage,
        ),
      ],
    },
  ],
};
