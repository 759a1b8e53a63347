import { Activity, History, IdCard, ShieldCheck } from 'lucide-react';
import { page, type Section } from './page-route';

/** Pages of the organization, the same in every environment. */
export const organizationSection: Section = {
  title: 'Organization',
  entries: [
    {
      path: '/team',
      label: 'Team',
      Icon: IdCard,
      routes: [
        page(
          '/team',
          async () => (await import('../../pages/team/operator-list-page')).OperatorListPage,
        ),
      ],
    },
    {
      path: '/security',
      label: 'Security',
      Icon: ShieldCheck,
      routes: [
        page(
          '/security',
          async () => (await import('../../pages/security/security-page')).SecurityPage,
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
          async () => (await import('../../pages/team/audit-log-page')).AuditLogPage,
        ),
      ],
    },
    {
      path: '/system',
      label: 'System',
      Icon: Activity,
      routes: [
        page('/system', async () => (await import('../../pages/system/system-page')).SystemPage),
      ],
    },
  ],
};
