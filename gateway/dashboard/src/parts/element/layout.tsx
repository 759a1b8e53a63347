import { ChevronLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'wouter';

// Pages that the checklist of home opened lead back to it, and so to its next step.
const setupBack = { href: '/', label: 'Set up billing' };

/** Page of the dashboard: title, actions and panels. */
export function PageLayout({
  title,
  lead,
  back,
  actions,
  children,
}: {
  title: string;
  /** Short description of the page. */
  lead?: ReactNode;
  /** Link to the list that contains this page. */
  back?: { readonly href: string; readonly label: string };
  actions?: ReactNode;
  children: ReactNode;
}) {
  const [parameters] = useSearchParams();
  const shownBack = back ?? (parameters.get('from') === 'setup' ? setupBack : undefined);
  return (
    <>
      <title>{`${title} · Billing`}</title>
      <header className="page-head">
        <div>
          {shownBack !== undefined && (
            <Link className="back" href={shownBack.href}>
              <ChevronLeft aria-hidden="true" />
              {shownBack.label}
            </Link>
          )}
          <h1>{title}</h1>
          {lead !== undefined && <p className="faint">{lead}</p>}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

/** Section of a page. */
export function Panel({
  title,
  actions,
  children,
}: {
  title?: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="panel">
      {(title !== undefined || actions !== undefined) && (
        <div className="panel-head">
          {title !== undefined && <h2>{title}</h2>}
          {actions !== undefined && <div className="actions">{actions}</div>}
        </div>
      )}
      {children}
    </section>
  );
}

/** Placeholder for an empty list, with the next step. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children !== undefined && <div className="faint">{children}</div>}
    </div>
  );
}

/** Named figure. */
export function Figure({
  name,
  value,
  detail,
  href,
}: {
  name: string;
  value: ReactNode;
  detail?: ReactNode;
  href?: string;
}) {
  return (
    <div className="figure">
      <dt>{href === undefined ? name : <Link href={href}>{name}</Link>}</dt>
      <dd>
        <span className="figure-value">{value}</span>
        {detail !== undefined && <span className="faint">{detail}</span>}
      </dd>
    </div>
  );
}

export function Figures({ children }: { children: ReactNode }) {
  return <dl className="figures">{children}</dl>;
}
