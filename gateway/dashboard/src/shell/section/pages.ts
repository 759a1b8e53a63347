import {
  AlarmClock,
  Coins,
  Download,
  FileMinus,
  FlaskConical,
  Gauge,
  House,
  Inbox,
  KeyRound,
  Landmark,
  Logs,
  Mail,
  Package,
  Radio,
  ReceiptText,
  Repeat,
  Scale,
  ShieldAlert,
  ShoppingCart,
  TicketPercent,
  TrendingUp,
  Undo2,
  Users,
  Webhook,
} from 'lucide-react';
import { organizationSection } from './organization-section';
import { page, type PageRoute, type Section } from './page-route';
import { settingsSection } from './settings-section';

/** All pages, in the order of the navigation. */
export const sections: readonly Section[] = [
  {
    entries: [
      {
        path: '/',
        label: 'Home',
        Icon: House,
        routes: [page('/', async () => (await import('../../pages/home/home-page')).HomePage)],
      },
      {
        path: '/revenue',
        label: 'Revenue',
        Icon: TrendingUp,
        routes: [
          page(
            '/revenue',
            async () => (await import('../../pages/revenue/revenue-page')).RevenuePage,
          ),
        ],
      },
      {
        path: '/payments',
        label: 'Payments',
        Icon: Landmark,
        routes: [
          page(
            '/payments',
            async () => (await import('../../pages/money/payments-page')).PaymentsPage,
          ),
        ],
      },
      {
        path: '/tax-report',
        label: 'Tax report',
        Icon: Scale,
        routes: [
          page(
            '/tax-report',
            async () => (await import('../../pages/money/tax-report-page')).TaxReportPage,
          ),
        ],
      },
      {
        path: '/export',
        label: 'Export',
        Icon: Download,
        routes: [
          page('/export', async () => (await import('../../pages/export/export-page')).ExportPage),
        ],
      },
    ],
  },
  {
    title: 'Customers',
    entries: [
      {
        path: '/customers',
        label: 'Customers',
        Icon: Users,
        routes: [
          page(
            '/customers',
            async () => (await import('../../pages/customers/customer-list-page')).CustomerListPage,
          ),
          page(
            '/customers/:id',
            async () => (await import('../../pages/customers/customer-page')).CustomerPage,
          ),
        ],
      },
      {
        path: '/subscriptions',
        label: 'Subscriptions',
        Icon: Repeat,
        routes: [
          page(
            '/subscriptions',
            async () =>
              (await import('../../pages/subscriptions/subscription-list-page'))
                .SubscriptionListPage,
          ),
          page(
            '/subscriptions/:id',
            async () =>
              (await import('../../pages/subscriptions/subscription-page')).SubscriptionPage,
          ),
        ],
      },
      {
        path: '/invoices',
        label: 'Invoices',
        Icon: ReceiptText,
        routes: [
          page(
            '/invoices',
            async () => (await import('../../pages/invoices/invoice-list-page')).InvoiceListPage,
          ),
          page(
            '/invoices/:id',
            async () => (await import('../../pages/invoices/invoice-page')).InvoicePage,
          ),
        ],
      },
      {
        path: '/credit-notes',
        label: 'Credit notes',
        Icon: FileMinus,
        routes: [
          page(
            '/credit-notes',
            async () =>
              (await import('../../pages/credit-notes/credit-note-list-page')).CreditNoteListPage,
          ),
          page(
            '/credit-notes/:id',
            async () => (await import('../../pages/credit-notes/credit-note-page')).CreditNotePage,
          ),
        ],
      },
      {
        path: '/refunds',
        label: 'Refunds',
        Icon: Undo2,
        routes: [
          page(
            '/refunds',
            async () => (await import('../../pages/refunds/refund-list-page')).RefundListPage,
          ),
        ],
      },
      {
        path: '/disputes',
        label: 'Disputes',
        Icon: ShieldAlert,
        routes: [
          page(
            '/disputes',
            async () => (await import('../../pages/disputes/dispute-list-page')).DisputeListPage,
          ),
        ],
      },
      {
        path: '/emails',
        label: 'Emails',
        Icon: Mail,
        routes: [
          page(
            '/emails',
            async () => (await import('../../pages/emails/email-list-page')).EmailListPage,
          ),
          page(
            '/emails/:id',
            async () => (await import('../../pages/emails/email-page')).EmailPage,
          ),
        ],
      },
      {
        path: '/dunning',
        label: 'Dunning',
        Icon: AlarmClock,
        routes: [
          page(
            '/dunning',
            async () => (await import('../../pages/dunning/dunning-page')).DunningPage,
          ),
        ],
      },
    ],
  },
  {
    title: 'Catalog',
    entries: [
      {
        path: '/products',
        label: 'Products',
        Icon: Package,
        routes: [
          page(
            '/products',
            async () => (await import('../../pages/products/product-list-page')).ProductListPage,
          ),
          page(
            '/products/:id',
            async () => (await import('../../pages/products/product-page')).ProductPage,
          ),
          page(
            '/price-migrations',
            async () =>
              (await import('../../pages/price-migrations/price-migration-list-page'))
                .PriceMigrationListPage,
          ),
          page(
            '/price-migrations/:id',
            async () =>
              (await import('../../pages/price-migrations/price-migration-page'))
                .PriceMigrationPage,
          ),
        ],
      },
      {
        path: '/discounts',
        label: 'Discounts',
        Icon: TicketPercent,
        routes: [
          page(
            '/discounts',
            async () => (await import('../../pages/discounts/discount-list-page')).DiscountListPage,
          ),
          page(
            '/discounts/:id',
            async () => (await import('../../pages/discounts/discount-page')).DiscountPage,
          ),
        ],
      },
      {
        path: '/checkout',
        label: 'Checkout',
        Icon: ShoppingCart,
        routes: [
          page(
            '/checkout',
            async () => (await import('../../pages/checkout/checkout-page')).CheckoutPage,
          ),
        ],
      },
    ],
  },
  {
    title: 'Usage',
    entries: [
      {
        path: '/usage',
        label: 'Usage',
        Icon: Gauge,
        routes: [
          page('/usage', async () => (await import('../../pages/usage/usage-page')).UsagePage),
        ],
      },
      {
        path: '/credits',
        label: 'Credits',
        Icon: Coins,
        routes: [
          page(
            '/credits',
            async () => (await import('../../pages/credits/credits-page')).CreditsPage,
          ),
        ],
      },
    ],
  },
  {
    title: 'Developers',
    entries: [
      {
        path: '/developers/api-keys',
        label: 'API keys',
        Icon: KeyRound,
        routes: [
          page(
            '/developers/api-keys',
            async () => (await import('../../pages/api-keys/api-key-list-page')).ApiKeyListPage,
          ),
        ],
      },
      {
        path: '/developers/sandboxes',
        label: 'Sandboxes',
        Icon: FlaskConical,
        routes: [
          page(
            '/developers/sandboxes',
            async () => (await import('../../pages/sandboxes/sandbox-list-page')).SandboxListPage,
          ),
          page(
            '/developers/sandboxes/:id',
            async () => (await import('../../pages/sandboxes/sandbox-page')).SandboxPage,
          ),
        ],
      },
      {
        path: '/developers/inbox',
        label: 'Inbox',
        Icon: Inbox,
        routes: [
          page(
            '/developers/inbox',
            async () => (await import('../../pages/emails/inbox-page')).InboxPage,
          ),
        ],
      },
      {
        path: '/developers/webhooks',
        label: 'Webhooks',
        Icon: Webhook,
        routes: [
          page(
            '/developers/webhooks',
            async () => (await import('../../pages/webhooks/endpoint-list-page')).EndpointListPage,
          ),
          page(
            '/developers/webhooks/:id',
            async () => (await import('../../pages/webhooks/endpoint-page')).EndpointPage,
          ),
        ],
      },
      {
        path: '/developers/events',
        label: 'Events',
        Icon: Radio,
        routes: [
          page(
            '/developers/events',
            async () => (await import('../../pages/events/event-list-page')).EventListPage,
          ),
        ],
      },
      {
        path: '/developers/requests',
        label: 'Request log',
        Icon: Logs,
        routes: [
          page(
            '/developers/requests',
            async () => (await import('../../pages/request-log/request-log-page')).RequestLogPage,
          ),
          page(
            '/developers/requests/:id',
            async () => (await import('../../pages/request-log/request-page')).RequestPage,
          ),
        ],
      },
    ],
  },
  settingsSection,
  organizationSection,
];

/** Pages outside the navigation. */
const otherRoutes: readonly PageRoute[] = [
  page('/account', async () => (await import('../../pages/account/account-page')).AccountPage),
];

export const allRoutes: readonly PageRoute[] = [
  ...sections.flatMap(({ entries }) => entries.flatMap(({ routes }) => routes)),
  ...otherRoutes,
];
