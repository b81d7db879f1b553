import type { LucideIcon } from 'lucide-react';
import { Button } from '../../ui/Button';

/** A small button of a row; its label is read by screen readers, and shown under the pointer. */
export function IconButton({ icon: Icon, label, onClick }: { icon: LucideIcon; label: string; onClick: () => void }) {
  return (
    <Button kind="plain" onClick={onClick} aria-label={label} title={label}>
      <Icon aria-hidden size={16} />
    </Button>
  );
}
