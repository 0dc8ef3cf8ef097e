set encoding utf8
set terminal svg noenhanced dynamic name 'iobench' size 720,480 font 'sans-serif,14' background '#ffffff'
set output 'x.out'
set title 'sequential reads'
set xlabel 'jobs'
set ylabel 'IOPS (higher is better)'
set key below height 1 Left reverse
set border 3
set tics nomirror out
set yrange [0:*]
set pointintervalbox 0
set grid y lc rgb '#A0A0A0' lw 0.4 dt 1
set xtics nomirror ('1' 1, '2' 2, '4' 4)
set xrange [0.85:4.15]
set datafile missing 'NaN'
plot 'x.dat' index 0 using 1:2:3:4 with yerrorbars lc rgb '#0072B2' lw 1.2 dt 1 pt 0 notitle, \
     '' index 0 using 1:2 with linespoints lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 1 title 'none', \
     '' index 1 using 1:2:3:4 with yerrorbars lc rgb '#E69F00' lw 1.2 dt 1 pt 0 notitle, \
     '' index 1 using 1:2 with linespoints lc rgb '#E69F00' lw 2 dt 2 pt 4 ps 1 title 'bfq', \
     keyentry with yerrorbars lc rgb '#7F7F7F' pt 0 title 'mean, bars: stddev over 3 runs'
# data:
# none: x, y, low, high
0.955 100 97 103
1.955 200 197 203
3.955 400 397 403


# bfq: x, y, low, high
1.045 110 107 113
2.045 210 207 213
4.045 410 407 413
