import { Monitor, SlidersHorizontal, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import { useShortcut } from '../app/shortcuts';
import { useFormat } from '../i18n/format';
import { Button } from '../ui/Button';
import { Select, TextField } from '../ui/Field';
import styles from './Toolbar.module.css';
import { type BoardParams, isPublicView } from './useBoardParams';

interface Props {
  params: BoardParams;
  set: (change: Partial<BoardParams>) => void;
  groups: Schema['Group'][];
  organizations: Schema['Organization'][];
  count: number;
  /** Whether the jury's and the public's scoreboard differ. */
  hasTwo: boolean;
}

/** Filters, the choice of the scoreboard, and the wall display. */
export function Toolbar({ params, set, groups, organizations, count, hasTwo }: Props) {
  const { t } = useTranslation('board');
  const format = useFormat();
  // Only on a phone; elsewhere there is room for them.
  const [isOpen, setOpen] = useState(false);
  const search = useRef<HTMLFormElement>(null);
  useShortcut('/', 'search', () => search.current?.querySelector('input')?.focus());
  const all = { value: '', text: t('filter.all') };
  const byName = (a: { text: string }, b: { text: string }) => format.compare(a.text, b.text);
  const isFiltered = params.group || params.org || params.q;
  return (
    <form ref={search} role="search" className={styles.toolbar} onSubmit={(event) => event.preventDefault()}>
      <TextField
        label={t('filter.search')}
        type="search"
        value={params.q}
        onChange={(q) => set({ q })}
        aria-keyshortcuts="/"
      />
      <Button kind="plain" className={styles.more} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <SlidersHorizontal aria-hidden size={16} /> {t('filter.title')}
      </Button>
      <div className={styles.filters} data-open={isOpen || undefined}>
        {groups.length > 1 && (
          <Select
            label={t('filter.group')}
            value={params.group}
            onChange={(group) => set({ group })}
            options={[all, ...groups.map(({ id, name }) => ({ value: id, text: name })).sort(byName)]}
          />
        )}
        {organizations.length > 1 && (
          <Select
            label={t('filter.organization')}
            value={params.org}
            onChange={(org) => set({ org })}
            options={[all, ...organizations.map(({ id, name }) => ({ value: id, text: name })).sort(byName)]}
          />
        )}
        {hasTwo && (
          <Select
            label={t('view.label')}
            value={isPublicView(params) ? 'public' : ''}
            onChange={(view) => set({ view })}
            options={[
              { value: '', text: t('view.jury') },
              { value: 'public', text: t('view.public') },
            ]}
          />
        )}
      </div>
      {isFiltered && (
        <Button kind="plain" onClick={() => set({ group: '', org: '', q: '' })}>
          <X aria-hidden size={16} /> {t('clear')}
        </Button>
      )}
      <p className={styles.count}>{t('filter.count', { count })}</p>
      <Button kind="plain" className={styles.wall} onClick={() => set({ wall: '1' })}>
        <Monitor aria-hidden size={16} /> {t('wall.open')}
      </Button>
    </form>
  );
}
