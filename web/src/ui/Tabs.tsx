import { useEffect, useRef } from 'react';
import { NavLink, useLocation } from 'react-router';
import styles from './Tabs.module.css';

export interface Tab {
  to: string;
  text: string;
  /** Whether it is also marked as open for the routes below its own. */
  isOpenBelow?: boolean;
}

/** Tabs are links, since each view has its own route. */
export function Tabs({ tabs, label }: { tabs: Tab[]; label: string }) {
  const nav = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the location decides which tab is open
  useEffect(() => {
    const element = nav.current;
    const open = element?.querySelector<HTMLElement>('[aria-current="page"]');
    // On a phone the open one may lie beyond the edge.
    if (element && open) element.scrollLeft = open.offsetLeft - (element.clientWidth - open.offsetWidth) / 2;
  }, [pathname]);
  return (
    <nav ref={nav} aria-label={label} className={styles.tabs}>
      {tabs.map((tab) => (
        <NavLink key={tab.to} to={tab.to} end={!tab.isOpenBelow}>
          {tab.text}
        </NavLink>
      ))}
    </nav>
  );
}
