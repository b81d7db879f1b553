import { type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { NavLink } from 'react-router';
import type { NavItem } from './area';
import styles from './Nav.module.css';
import { useRole } from './session';

/** The navigation entries for the caller's role. */
export function Nav({ items, base, label }: { items: NavItem[]; base: string; label: string }) {
  const { t } = useTranslation();
  const role = useRole();
  const seen = items.filter((item) => item.roles?.includes(role) ?? true);
  if (seen.length === 0) return null;
  return (
    <nav aria-label={label} className={styles.nav}>
      <ul>
        {seen.map((item) => (
          <Entry key={item.to} item={item}>
            <NavLink to={base + item.to}>
              {t(`nav.${item.label}`)}{' '}
              {item.Badge && (
                <Suspense>
                  <item.Badge />
                </Suspense>
              )}
            </NavLink>
          </Entry>
        ))}
      </ul>
    </nav>
  );
}

function Entry({ item: { Only }, children }: { item: NavItem; children: ReactNode }) {
  const entry = <li>{children}</li>;
  if (!Only) return entry;
  return (
    <Suspense>
      <Only>{entry}</Only>
    </Suspense>
  );
}
