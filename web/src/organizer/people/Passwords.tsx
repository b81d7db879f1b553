import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Download, KeyRound, Printer } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../api/client';
import { useContestId } from '../../app/ContestLayout';
import styles from '../../jury/parts/parts.module.css';
import { juryQueries } from '../../jury/queries';
import { Button } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { ErrorMessage } from '../../ui/ErrorMessage';
import { Select, TextField } from '../../ui/Field';
import { download } from '../../ui/files';

/** Makes passwords for all teams. The server does not keep them: they are saved from here, as a table or as sheets to print. */
export function Passwords() {
  const { t } = useTranslation('organizer');
  const contest = useContestId();
  const [isOpen, setIsOpen] = useState(false);
  const [which, setWhich] = useState<'missing' | 'all'>('missing');
  const [address, setAddress] = useState(window.location.origin);
  const client = useQueryClient();
  const make = useMutation({
    // Accounts do not belong to a contest, so there are no notices of them.
    onSuccess: () => client.invalidateQueries({ queryKey: juryQueries.accounts().queryKey }),
    mutationFn: () =>
      body(
        api.POST('/api/contests/{contest}/credentials', {
          params: { path: { contest } },
          body: { which, address: address.trim() },
        }),
      ),
  });
  const made = make.data;
  const save = (ending: string, text: string) =>
    download({ name: `${contest}-logins.${ending}`, bytes: new TextEncoder().encode(text) });
  const close = () => {
    setIsOpen(false);
    make.reset();
  };
  return (
    <>
      <Button kind="plain" onClick={() => setIsOpen(true)}>
        <KeyRound aria-hidden size={16} /> {t('passwords.title')}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={t('passwords.title')}>
        {!made && (
          <form
            className={styles.section}
            onSubmit={(event) => {
              event.preventDefault();
              make.mutate();
            }}
          >
            <Select
              label={t('passwords.which')}
              value={which}
              onChange={setWhich}
              options={[
                { value: 'missing', text: t('passwords.missing') },
                { value: 'all', text: t('passwords.all') },
              ]}
            />
            <TextField label={t('passwords.address')} type="url" value={address} onChange={setAddress} />
            <p>{t(which === 'all' ? 'passwords.allHint' : 'passwords.missingHint')}</p>
            {make.error && <ErrorMessage error={make.error} />}
            <Button type="submit" kind={which === 'all' ? 'danger' : 'main'} disabled={make.isPending}>
              {t('passwords.make')}
            </Button>
          </form>
        )}
        {made?.accounts.length === 0 && <p role="status">{t('passwords.none')}</p>}
        {made && made.accounts.length > 0 && (
          <div className={styles.section}>
            <p role="status">{t('passwords.made', { count: made.accounts.length })}</p>
            <div className={styles.buttons}>
              <Button onClick={() => save('html', made.sheets)}>
                <Printer aria-hidden size={16} /> {t('passwords.sheets')}
              </Button>
              <Button kind="plain" onClick={() => save('csv', made.csv)}>
                <Download aria-hidden size={16} /> {t('passwords.csv')}
              </Button>
            </div>
          </div>
        )}
      </Dialog>
    </>
  );
}
