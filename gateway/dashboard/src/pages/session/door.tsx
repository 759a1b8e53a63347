import type { ReactNode } from 'react';

/** A page before the shell: one thing to do. */
export function Door({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="door">
      <title>{`${title} · Billing`}</title>
      <section className="panel">
        <h1>{title}</h1>
        {children}
      </section>
    </main>
  );
}
