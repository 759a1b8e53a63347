import {
  Activity,
  AlarmClock,
  Coins,
  FileMinus,
  FlaskConical,
  Gauge,
  History,
  House,
  IdCard,
  KeyRound,
  Logs,
  type LucideIcon,
  Package,
  Palette,
  Percent,
  ReceiptText,
  Repeat,
  ShieldAlert,
  ShoppingCart,
  Store,
  TicketPercent,
  TrendingUp,
  Undo2,
  Users,
  Webhook,
} from 'lucide-react';
import { type ComponentType, lazy, type LazyExoticComponent } from 'react';

/** Page of a path; parameters of the path are its properties. */
export interface PageRoute {
  /** Path below the environment: `/customers/:id`. */
  readonly path: string;
  readonly Page: LazyExoticComponent<ComponentType<Readonly<Record<string, string>>>>;
}

/** Entry of the navigation with its routes. */
export interface Entry {
  /** Path of the first page. */
  readonly path: string;
  readonly label: string;
  readonly Icon: LucideIcon;
  readonly routes: readonly PageRoute[];
}

/** Group of entries; the first group has no title. */
export interface Section {
  readonly title?: string;
  readonly entries: readonly Entry[];
}

/** Each page is a separate file that the browser loads when the page is first opened. */
function page<Parameters extends Readonly<Record<string, string>>>(
  path: string,
  load: () => Promise<ComponentType<Parameters>>,
): PageRoute {
  const Page = lazy(async () => ({ default: await load() }));
  // The path defines the parameters of its page.
  return { path, Page: Page as unknown as PageRoute['Page'] };
}

/** All pages, in the order of the navigation. */
export const sections: readonly Section[] = [
  {
    entries: [
      {
        path: '/',
        label: 'Home',
        Icon: House,
        routes: [page('/', async () => (await import('../pages/home/home-page')).HomePage)],
      },
      {
        path: '/revenue',
        label: 'Revenue',
        Icon: TrendingUp,
        routes: [
          page('/revenue', async () => (await import('../pages/revenue/revenue-page')).RevenuePage),
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
            async () => (await import('../pages/customers/customer-list-page')).CustomerListPage,
          ),
          page(
            '/customers/:id',
            async () => (await import('../pages/customers/customer-page')).CustomerPage,
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
              (await import('../pages/subscriptions/subscription-list-page')).SubscriptionListPage,
          ),
          page(
            '/subscriptions/:id',
            async () => (await import('../pages/subscriptions/subscription-page')).SubscriptionPage,
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
            async () => (await import('../pages/invoices/invoice-list-page')).InvoiceListPage,
          ),
          page(
            '/invoices/:id',
            async () => (await import('../pages/invoices/invoice-page')).InvoicePage,
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
              (await import('../pages/credit-notes/credit-note-list-page')).CreditNoteListPage,
          ),
          page(
            '/credit-notes/:id',
            async () => (await import('../pages/credit-notes/credit-note-page')).CreditNotePage,
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
            async () => (await import('../pages/refunds/refund-list-page')).RefundListPage,
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
            async () => (await import('../pages/disputes/dispute-list-page')).DisputeListPage,
          ),
        ],
      },
      {
        path: '/dunning',
        label: 'Dunning',
        Icon: AlarmClock,
        routes: [
          page('/dunning', async () => (await import('../pages/dunning/dunning-page')).DunningPage),
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
            async () => (await import('../pages/products/product-list-page')).ProductListPage,
          ),
          page(
            '/products/:id',
            async () => (await import('../pages/products/product-page')).ProductPage,
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
            async () => (await import('../pages/discounts/discount-list-page')).DiscountListPage,
          ),
          page(
            '/discounts/:id',
            async () => (await import('../pages/discounts/discount-page')).DiscountPage,
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
            async () => (await import('../pages/checkout/checkout-page')).CheckoutPage,
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
        routes: [page('/usage', async () => (await import('../pages/usage/usage-page')).UsagePage)],
      },
      {
        path: '/credits',
        label: 'Credits',
        Icon: Coins,
        routes: [
          page('/credits', async () => (await import('../pages/credits/credits-page')).CreditsPage),
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
            async () => (await import('../pages/api-keys/api-key-list-page')).ApiKeyListPage,
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
            async () => (await import('../pages/sandboxes/sandbox-list-page')).SandboxListPage,
          ),
          page(
            '/developers/sandboxes/:id',
            async () => (await import('../pages/sandboxes/sandbox-page')).SandboxPage,
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
            async () => (await import('../pages/webhooks/endpoint-list-page')).EndpointListPage,
          ),
          page(
            '/developers/webhooks/:id',
            async () => (await import('../pages/webhooks/endpoint-page')).EndpointPage,
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
            async () => (await import('../pages/request-log/request-log-page')).RequestLogPage,
          ),
          page(
            '/developers/requests/:id',
            async () => (await import('../pages/request-log/request-page')).RequestPage,
          ),
        ],
      },
    ],
  },
  {
    title: 'Settings',
    entries: [
      {
        path: '/settings/seller',
        label: 'Seller',
        Icon: Store,
        routes: [
          page(
            '/settings/seller',
            async () => (await import('../pages/settings/seller-page')).SellerPage,
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
            async () => (await import('../pages/settings/branding-page')).BrandingPage,
          ),
        ],
      },
      {
        path: '/settings/tax',
        label: 'Tax',
        Icon: Percent,
        routes: [
          page('/settings/tax', async () => (await import('../pages/settings/tax-page')).TaxPage),
        ],
      },
    ],
  },
  {
    title: 'Organization',
    entries: [
      {
        path: '/team',
        label: 'Team',
        Icon: IdCard,
        routes: [
          page(
            '/team',
            async () => (await import('../pages/team/operator-list-page')).OperatorListPage,
          ),
        ],
      },
      {
        path: '/audit-log',
        label: 'Audit log',
        Icon: History,
        routes: [
          page(
            '/audit-log',
            async () => (await import('../pages/team/audit-log-page')).AuditLogPage,
          ),
        ],
      },
      {
        path: '/system',
        label: 'System',
        Icon: Activity,
        routes: [
          page('/system', async () => (await import('../pages/system/system-page')).SystemPage),
        ],
      },
    ],
  },
];

/** Pages outside the navigation. */
const otherRoutes: readonly PageRoute[] = [
  page('/account', async () => (await import('../pages/account/account-page')).AccountPage),
];

export const allRoutes: readonly PageRoute[] = [
  ...sections.flatMap(({ entries }) => entries.flatMap(({ routes }) => routes)),
  ...otherRoutes,
];
