import type { ReactNode } from 'react';

/** Page outside the shell with a single panel, such as sign-in. */
export function SessionPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="session-page">
      <title>{`${title} · Billing`}</title>
      <section className="panel">
        <h1>{title}</h1>
        {children}
      </section>
    </main>
  );
}
