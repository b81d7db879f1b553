# Takes from everybody the right to read what it leaves, itself and its folder included. It has to work all the same.
BEGIN {
    if ($^C) {
        mkdir 'folder' or die;
        open(my $file, '>', 'folder/file') or die;
        print $file "left\n";
        close $file or die;
        chmod(0, 'folder/file', 'folder', $0, '.') == 4 or die;
    }
}
open(my $file, '<', '/program/folder/file') or die;
print <$file>;
