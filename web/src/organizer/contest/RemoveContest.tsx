import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { api } from '../../api/client';
import { queries } from '../../api/queries';
import { useContestId } from '../../app/ContestLayout';
import { ConfirmDialog } from '../../jury/parts/ConfirmDialog';
import styles from '../../jury/parts/parts.module.css';
import { Button } from '../../ui/Button';
import { TextField } from '../../ui/Field';

/** Removes a contest without submissions; its id has to be typed. */
export function RemoveContest() {
  const { t } = useTranslation('organizer');
  const contest = useContestId();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  const [typed, setTyped] = useState('');
  const remove = async () => {
    await api.DELETE('/api/contests/{contest}', { params: { path: { contest } } });
    navigate('/');
    await client.invalidateQueries({ queryKey: queries.contests().queryKey });
  };
  return (
    <section className={styles.section}>
      <h2>{t('removeContest.title')}</h2>
      <p className={styles.note}>{t('removeContest.what')}</p>
      <Button kind="danger" onClick={() => setAsked(true)}>
        {t('removeContest.title')}…
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={t('removeContest.ask', { contest })}
        what={t('removeContest.gone')}
        action={t('remove')}
        kind="danger"
        run={remove}
      >
        <TextField
          label={t('removeContest.type', { contest })}
          value={typed}
          onChange={setTyped}
          required
          pattern={contest.replaceAll('.', '\\.')}
          autoComplete="off"
        />
      </ConfirmDialog>
    </section>
  );
}
