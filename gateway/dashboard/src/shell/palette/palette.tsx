import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import {
  ArrowRight,
  FlaskConical,
  Keyboard,
  type LucideIcon,
  Package,
  Plus,
  ReceiptText,
  Repeat,
  TicketPercent,
  Users,
  Webhook,
} from 'lucide-react';
import { useLocation } from 'wouter';
import { useRef, useState } from 'react';
import { environmentName, useWorkspace } from '../../api/environment';
import { environmentPath, samePlace } from '../../api/environment-path';
import { useEnvironments } from '../../api/queries';
import type { Environment } from '../../api/session';
import { ErrorNotice, Notice } from '../../parts/element/notices';
import { labelText, wordsText } from '../../parts/text/text';
import { sections } from '../section/pages';
import { actionsOf, matchingActions, pathOf } from './actions';
import { type SearchResult, useSearch, useSettled } from '../../api/search';

const environmentsMax = 5;

interface Item {
  readonly id: string;
  readonly label: string;
  readonly detail: string;
  readonly Icon: LucideIcon;
  readonly run: () => void;
}

interface Group {
  readonly value: string;
  readonly items: readonly Item[];
}

/** Dialog that finds resources, pages and actions as the operator types. */
export function Palette({
  onClose,
  onShortcuts,
}: {
  onClose: () => void;
  onShortcuts: () => void;
}) {
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const settled = useSettled(text.trim());
  const search = useSearch(settled);
  const isSettled = settled === text.trim();
  // Enter runs the first result, so those of an earlier text are not shown.
  const { results = [], missing = [] } = (isSettled ? search.data : undefined) ?? {};
  const groups = useGroups({ text, settled, results, onShortcuts });
  const isSearching = !isSettled || search.isFetching;
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="palette" aria-label="Search and actions">
          <Autocomplete.Root<Group>
            open
            inline
            mode="none"
            items={groups}
            value={text}
            onValueChange={(typed, { reason }) => {
              // A chosen entry runs; it is not typed into the field.
              if (reason !== 'item-press') setText(typed);
            }}
            autoHighlight="always"
            keepHighlight
          >
            <Autocomplete.Input
              ref={field}
              aria-label="Search resources, pages and actions"
              placeholder="Find a customer, an invoice, a page or an action"
              maxLength={100}
            />
            {search.error !== null && (
              <ErrorNotice
                error={search.error}
                onRetry={() => {
                  field.current?.focus();
                  void search.refetch();
                }}
              />
            )}
            {missing.length > 0 && (
              <Notice tone="wait">
                <p>Not searched: {missing.map((type) => `${wordsText(type)}s`).join(', ')}.</p>
              </Notice>
            )}
            <Autocomplete.Status className="unseen">
              {isSearching ? 'Searching' : ''}
            </Autocomplete.Status>
            <Autocomplete.Empty className="combobox-empty">
              {emptyText({ isSearching, isFailed: search.error !== null })}
            </Autocomplete.Empty>
            <Autocomplete.List className="palette-list">
              {(group: Group) => <GroupOf key={group.value} {...{ group, onClose }} />}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Text in place of entries; none for a failure, which has a notice. */
function emptyText(search: { isSearching: boolean; isFailed: boolean }): string | undefined {
  if (search.isSearching) return 'Searching';
  return search.isFailed ? undefined : 'Nothing found';
}

function GroupOf({ group, onClose }: { group: Group; onClose: () => void }) {
  return (
    <Autocomplete.Group items={group.items}>
      <Autocomplete.GroupLabel className="menu-label">{group.value}</Autocomplete.GroupLabel>
      <Autocomplete.Collection>
        {({ id, label, detail, Icon, run }: Item) => (
          <Autocomplete.Item
            key={id}
            value={id}
            className="menu-item"
            onClick={() => {
              onClose();
              run();
            }}
          >
            <Icon aria-hidden="true" />
            <span className="palette-label">{label}</span>
            {detail !== '' && <span className="palette-detail">{detail}</span>}
          </Autocomplete.Item>
        )}
      </Autocomplete.Collection>
    </Autocomplete.Group>
  );
}

const icons: Readonly<Record<string, LucideIcon>> = {
  CUSTOMER: Users,
  INVOICE: ReceiptText,
  SUBSCRIPTION: Repeat,
  PRODUCT: Package,
  DISCOUNT: TicketPercent,
  WEBHOOK_ENDPOINT: Webhook,
};

function useGroups({
  text,
  settled,
  results,
  onShortcuts,
}: {
  text: string;
  settled: string;
  results: readonly SearchResult[];
  onShortcuts: () => void;
}): readonly Group[] {
  const { session, environment } = useWorkspace();
  const [, navigate] = useLocation();
  const pages = sections.flatMap(({ entries }) => entries);
  const actions = actionsOf(session.operator, environment, pages);
  const found = matchingActions(actions, text).map(({ id, label, path, Icon }) => ({
    id,
    label,
    detail: '',
    Icon: Icon ?? (id.startsWith('create') ? Plus : ArrowRight),
    run: () => navigate(path),
  }));
  const shortcuts = {
    ...{ id: 'shortcuts', label: 'Keyboard shortcuts', detail: '?', Icon: Keyboard },
    run: onShortcuts,
  };
  const isHelp = matchingActions([{ ...shortcuts, also: 'help keys', path: '' }], text).length > 0;
  const groups: readonly Group[] = [
    {
      value: 'Results',
      items: results.map((result) => ({
        id: result.id,
        label: result.title,
        detail: [labelText(result.type), result.detail].filter((part) => part !== '').join(' · '),
        Icon: icons[result.type] ?? ArrowRight,
        run: () => navigate(pathOf(result)),
      })),
    },
    { value: 'Actions', items: [...found, ...(isHelp ? [shortcuts] : [])] },
    { value: 'Environments', items: useEnvironmentItems(settled, text) },
  ];
  return groups.filter(({ items }) => items.length > 0);
}

/** Other environments whose name or id contains the text. */
function useEnvironmentItems(search: string, text: string): readonly Item[] {
  const { environment } = useWorkspace();
  const [location, navigate] = useLocation();
  const { data } = useEnvironments({ search, page: 1, perPage: environmentsMax });
  // The list may still be that of an earlier text.
  const typed = text.trim().toLowerCase();
  const others = (data?.data ?? []).filter(
    (one) =>
      one.id !== environment.id &&
      (environmentName(one).toLowerCase().includes(typed) || one.id === typed),
  );
  return others.map((one: Environment) => ({
    id: one.id,
    label: `Switch to ${environmentName(one)}`,
    detail: one.kind === 'LIVE' ? '' : one.id.slice(-4),
    Icon: FlaskConical,
    run: () => navigate(`~/dashboard${environmentPath(one)}${samePlace(location)}`),
  }));
}
