import type { LucideIcon } from 'lucide-react';
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
export function page<Parameters extends Readonly<Record<string, string>>>(
  path: string,
  load: () => Promise<ComponentType<Parameters>>,
): PageRoute {
  const Page = lazy(async () => ({ default: await load() }));
  // The path defines the parameters of its page.
  return { path, Page: Page as unknown as PageRoute['Page'] };
}
