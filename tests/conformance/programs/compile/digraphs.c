// Digraphs, escapes and bytes beyond ASCII in a literal: unusual, and still a program.
%:include <stdio.h>

int main(void)
<%
    puts("\xc3\xa9\t\"quoted\"");
    return 0;
%>
